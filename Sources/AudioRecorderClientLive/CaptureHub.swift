import AudioCore
import AudioThreads
import SoundCard

/// One open device for all that hear it: opened for the first of them, closed after the last.
///
/// The first one decides on the device's rate, channels and buffering; what the others get is
/// converted from that.
actor CaptureHub {
  private struct Place {
    let device: AudioDevice.ID
    let opening: Task<SharedCapture, any Error>
    /// Opens when the device is closed, or could not be opened.
    let over = Gate()
    var waiting = 0
    var isTaken = false
    var isAbandoned: Bool { waiting == 0 && !isTaken }
  }

  private var places: [Int: Place] = [:]
  private var current: [AudioDevice.ID: Int] = [:]
  private var nextPlace = 0

  /// The request's device with a lease on it; it is opened where it is not open.
  ///
  /// A cancelled task gets `CancellationError` at once; an opening that nobody waits for is
  /// cancelled.
  ///
  /// - Parameter clock: by which a device that is lost is waited for.
  func acquire(
    _ request: PCMRequest, on soundCard: SoundCard, clock: any Clock<Duration> = ContinuousClock()
  ) async throws -> SharedCapture {
    let device = request.device ?? "default"
    while true {
      try Task.checkCancellation()
      let id = current[device] ?? open(request, as: device, on: soundCard, clock)
      if let capture = try await lease(id) { return capture }
      guard let over = places[id]?.over else { continue }
      try await Task<Void, any Error> { await over.wait() }.valueUnlessCancelled()
    }
  }

  /// Whether somebody hears the device now.
  func isOpen(_ device: AudioDevice.ID?) -> Bool {
    current[device ?? "default"].flatMap { places[$0]?.isTaken } ?? false
  }

  /// Nil where the device is about to be closed.
  private func lease(_ id: Int) async throws -> SharedCapture? {
    guard let opening = places[id]?.opening, !opening.isCancelled else { return nil }
    places[id]?.waiting += 1
    defer { leave(id) }
    let capture = try await opening.valueUnlessCancelled()
    guard capture.lease() else { return nil }
    places[id]?.isTaken = true
    return capture
  }

  private func leave(_ id: Int) {
    places[id]?.waiting -= 1
    guard let place = places[id], place.isAbandoned else { return }
    place.opening.cancel()
    Task {
      // It may have been opened all the same.
      if case .success(let capture) = await place.opening.result, capture.lease() {
        capture.release()
      }
    }
  }

  private func open(
    _ request: PCMRequest, as device: AudioDevice.ID, on soundCard: SoundCard,
    _ clock: any Clock<Duration>
  ) -> Int {
    let id = nextPlace
    nextPlace += 1
    let opening = Task {
      let pcm = try await soundCard.openCapture(request: request)
      do {
        return SharedCapture(
          try CaptureEngine(pcm: pcm),
          reopening: CaptureReopening(request: request, soundCard: soundCard, clock: clock))
      } catch {
        pcm.close()
        throw error
      }
    }
    places[id] = Place(device: device, opening: opening)
    current[device] = id
    Task { await watch(id, opening) }
    return id
  }

  /// Forgets a device when it is closed, or could not be opened.
  private func watch(_ id: Int, _ opening: Task<SharedCapture, any Error>) async {
    if case .success(let capture) = await opening.result { await capture.closed.wait() }
    forget(id)
  }

  private func forget(_ id: Int) {
    guard let place = places.removeValue(forKey: id) else { return }
    current[place.device] = nil
    place.over.open()
  }
}

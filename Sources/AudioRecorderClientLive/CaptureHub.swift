import AudioCore
import AudioThreads
import Glibc
import SoundCard

/// One open device for all that hear it: opened for the first of them, closed after the last.
///
/// The first one decides on the device's rate, channels and buffering: a recording asks for what
/// its file is to have, a capture for what suits everybody. Each converts from that for itself, and
/// counts in its own frames.
actor CaptureHub {
  private struct Place {
    let device: AudioDevice.ID
    let opening: Task<SharedCapture, any Error>
    /// Whether it is opened only to see whether that is possible.
    var isLook = false
    /// Opens when the device is closed, or could not be opened.
    let over = Gate()
    var waiting = 0
    var isTaken = false
    var isAbandoned: Bool { waiting == 0 && !isTaken }
  }

  /// A device could be opened, and is closed again.
  private struct Look: Error {}

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
      try await waitForEnd(of: id)
    }
  }

  /// Whether the request's device can be opened: those who hear it or are about to have done that;
  /// where there are none it is opened and closed, and who comes meanwhile waits for that.
  ///
  /// False for a cancelled task, at once.
  func canOpen(_ request: PCMRequest, on soundCard: SoundCard) async -> Bool {
    let device = request.device ?? "default"
    while !Task.isCancelled {
      let id = current[device] ?? look(request, as: device, on: soundCard)
      if let hasOpened = await hasOpened(id) { return hasOpened }
      try? await waitForEnd(of: id)
    }
    return false
  }

  /// Nil where the device is about to be closed.
  private func lease(_ id: Int) async throws -> SharedCapture? {
    guard let place = places[id], !place.isLook, !place.opening.isCancelled else { return nil }
    places[id]?.waiting += 1
    defer { leave(id) }
    let capture = try await place.opening.valueUnlessCancelled()
    guard capture.lease() else { return nil }
    places[id]?.isTaken = true
    return capture
  }

  /// Nil where nobody waits for that any more.
  private func hasOpened(_ id: Int) async -> Bool? {
    guard let opening = places[id]?.opening, !opening.isCancelled else { return nil }
    places[id]?.waiting += 1
    defer { leave(id) }
    do {
      _ = try await opening.valueUnlessCancelled()
      return true
    } catch is Look {
      return true
    } catch is CancellationError {
      return nil
    } catch {
      return (error as? SoundCardError)?.isHeldByThisProcess ?? false
    }
  }

  private func waitForEnd(of id: Int) async throws {
    guard let over = places[id]?.over else { return }
    try await Task<Void, any Error> { await over.wait() }.valueUnlessCancelled()
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
    add(device) {
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
  }

  /// Opens a device and closes it.
  private func look(
    _ request: PCMRequest, as device: AudioDevice.ID, on soundCard: SoundCard
  ) -> Int {
    add(device, isLook: true) {
      try await soundCard.openCapture(request: request).close()
      throw Look()
    }
  }

  private func add(
    _ device: AudioDevice.ID, isLook: Bool = false,
    _ open: @escaping @Sendable () async throws -> SharedCapture
  ) -> Int {
    let id = nextPlace
    nextPlace += 1
    let opening = Task {
      do {
        return try await open()
      } catch {
        giveUp(id)
        throw error
      }
    }
    places[id] = Place(device: device, opening: opening, isLook: isLook)
    current[device] = id
    Task { await watch(id, opening) }
    return id
  }

  /// An opening has failed, which nobody has heard of yet: who comes from now on opens the device
  /// anew.
  private func giveUp(_ id: Int) {
    guard let device = places[id]?.device, current[device] == id else { return }
    current[device] = nil
  }

  /// Forgets a device when it is closed, or could not be opened.
  private func watch(_ id: Int, _ opening: Task<SharedCapture, any Error>) async {
    if case .success(let capture) = await opening.result { await capture.closed.wait() }
    forget(id)
  }

  private func forget(_ id: Int) {
    guard let place = places.removeValue(forKey: id) else { return }
    if current[place.device] == id { current[place.device] = nil }
    place.over.open()
  }
}

extension SoundCardError {
  /// Whether the device is in use by another part of this process, perhaps by another name.
  ///
  /// That this process has some device does not tell who has this one.
  fileprivate var isHeldByThisProcess: Bool {
    guard case .busy(_, let holder?) = self else { return false }
    return holder.processID == getpid() && !holder.isGuess
  }
}

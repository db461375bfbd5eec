import AudioCore
import AudioThreads
import Glibc
import SoundCard

/// The open capture devices: each is opened for its first user and closed after its last one.
///
/// The first user chooses the rate, channels, and buffering: a recording chooses those of its file,
/// a capture those that suit all users. Each user converts from the device's format and counts its
/// own frames.
actor CaptureHub {
  private struct Entry {
    let device: AudioDevice.ID
    let opening: Task<SharedCapture, any Error>
    /// Whether the device is opened only to see whether that is possible.
    var isProbe = false
    /// Opens when the device is closed or could not be opened.
    let over = Gate()
    var waiting = 0
    var isTaken = false
    var isAbandoned: Bool { waiting == 0 && !isTaken }
  }

  /// Ends a probe: the device could be opened and is closed again.
  private struct Probed: Error {}

  private var entries: [Int: Entry] = [:]
  private var current: [AudioDevice.ID: Int] = [:]
  private var nextEntry = 0

  /// Leases the request's device, and opens it first if necessary.
  ///
  /// A canceled task gets `CancellationError` at once. An opening without waiters is canceled.
  ///
  /// - Parameter clock: measures how long users wait for a lost device.
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

  /// Whether the request's device can be opened.
  ///
  /// A device in use by this process answers for itself. Another one is opened and closed; a user who
  /// comes meanwhile waits for that. A canceled task gets false at once.
  func canOpen(_ request: PCMRequest, on soundCard: SoundCard) async -> Bool {
    let device = request.device ?? "default"
    while !Task.isCancelled {
      let id = current[device] ?? probe(request, as: device, on: soundCard)
      if let hasOpened = await hasOpened(id) { return hasOpened }
      try? await waitForEnd(of: id)
    }
    return false
  }

  /// Nil if the device is about to be closed.
  private func lease(_ id: Int) async throws -> SharedCapture? {
    guard let entry = entries[id], !entry.isProbe, !entry.opening.isCancelled else { return nil }
    entries[id]?.waiting += 1
    defer { leave(id) }
    let capture = try await entry.opening.valueUnlessCancelled()
    guard capture.lease() else { return nil }
    entries[id]?.isTaken = true
    return capture
  }

  /// Nil if the opening was canceled.
  private func hasOpened(_ id: Int) async -> Bool? {
    guard let opening = entries[id]?.opening, !opening.isCancelled else { return nil }
    entries[id]?.waiting += 1
    defer { leave(id) }
    do {
      _ = try await opening.valueUnlessCancelled()
      return true
    } catch is Probed {
      return true
    } catch is CancellationError {
      return nil
    } catch {
      return (error as? SoundCardError)?.isHeldByThisProcess ?? false
    }
  }

  private func waitForEnd(of id: Int) async throws {
    guard let over = entries[id]?.over else { return }
    try await Task<Void, any Error> { await over.wait() }.valueUnlessCancelled()
  }

  private func leave(_ id: Int) {
    entries[id]?.waiting -= 1
    guard let entry = entries[id], entry.isAbandoned else { return }
    entry.opening.cancel()
    Task {
      // The device may have opened before the cancellation took effect.
      if case .success(let capture) = await entry.opening.result, capture.lease() {
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
          try CaptureEngine(pcm: pcm, lockstep: soundCard.lockstep),
          reopening: CaptureReopening(request: request, soundCard: soundCard, clock: clock))
      } catch {
        pcm.close()
        throw error
      }
    }
  }

  /// Opens a device and closes it again.
  private func probe(
    _ request: PCMRequest, as device: AudioDevice.ID, on soundCard: SoundCard
  ) -> Int {
    add(device, isProbe: true) {
      try await soundCard.openCapture(request: request).close()
      throw Probed()
    }
  }

  private func add(
    _ device: AudioDevice.ID, isProbe: Bool = false,
    _ open: @escaping @Sendable () async throws -> SharedCapture
  ) -> Int {
    let id = nextEntry
    nextEntry += 1
    let opening = Task {
      do {
        return try await open()
      } catch {
        giveUp(id)
        throw error
      }
    }
    entries[id] = Entry(device: device, opening: opening, isProbe: isProbe)
    current[device] = id
    Task { await watch(id, opening) }
    return id
  }

  /// Lets the next user open the device anew, before anyone learns that this opening failed.
  private func giveUp(_ id: Int) {
    guard let device = entries[id]?.device, current[device] == id else { return }
    current[device] = nil
  }

  /// Forgets a device when it is closed or could not be opened.
  private func watch(_ id: Int, _ opening: Task<SharedCapture, any Error>) async {
    if case .success(let capture) = await opening.result { await capture.closed.wait() }
    forget(id)
  }

  private func forget(_ id: Int) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    if current[entry.device] == id { current[entry.device] = nil }
    entry.over.open()
  }
}

extension SoundCardError {
  /// Whether another part of this process uses the device, perhaps by another name.
  ///
  /// A guess is not enough: this process may use another device.
  fileprivate var isHeldByThisProcess: Bool {
    guard case .busy(_, let holder?) = self else { return false }
    return holder.processID == getpid() && !holder.isGuess
  }
}

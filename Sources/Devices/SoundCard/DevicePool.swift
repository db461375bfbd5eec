import AudioCore
import AudioThreads

/// The open devices of a client, each with a runtime. A device is opened for its first user, shared
/// by all users, and closed after the idle time.
package actor DevicePool<Server: PortServer> {
  package typealias Runtime = DeviceRuntime<Server>

  /// The right to use a device, to be returned with `release`.
  package struct Lease: Sendable {
    /// The device.
    package let runtime: Runtime
    /// The slot to release; nil if another lease keeps the device open.
    fileprivate let slot: Int?

    /// A lease of the same device, which this lease keeps open.
    package var borrowed: Lease { Lease(runtime: runtime, slot: nil) }
  }

  /// A device of a sound card; a scope may override the card of a client.
  fileprivate struct Device: Hashable, Sendable {
    let card: ObjectIdentifier?
    let id: AudioDevice.ID
  }

  private struct Slot: Sendable {
    let device: Device
    let request: PCMRequest
    /// Whether the device is opened only to test whether that is possible.
    let isProbe: Bool
    let task: Task<Runtime, any Error>
    var opening: DeviceOpening<Server>
    var users = 0
    var runtime: Runtime?
    var idling: Task<Void, Never>?
    var closing: Task<Void, Never>?
    /// The gate opens when the slot is removed.
    let over = Gate()

    /// Whether the device can stay open without users.
    var canIdle: Bool {
      opening.idleTime > .zero && runtime?.hasEnded == false && runtime?.isAway == false
    }

    /// Whether the device is suitable for an opening; a device with users is suitable for any
    /// format.
    func serves(_ other: DeviceOpening<Server>) -> Bool {
      users > 0 || other.convertsAnyFormat
        || (request.format == other.request.format && request.buffering == other.request.buffering)
    }
  }

  private var slots: [Int: Slot] = [:]
  private var current: [Device: Int] = [:]
  private var nextSlot = 0

  /// Creates a pool without devices.
  package init() {}

  deinit {
    for slot in slots.values {
      slot.idling?.cancel()
      slot.runtime?.quit()
    }
  }

  /// Returns the requested device, and opens it unless it is open.
  ///
  /// A canceled task gets `CancellationError` at once; an opening without waiting callers is
  /// canceled.
  package func acquire(_ opening: DeviceOpening<Server>) async throws -> Lease {
    try Task.checkCancellation()
    try await makeRoom(for: opening)
    let id = current[opening.device] ?? open(opening)
    return Lease(runtime: try await use(id, opening), slot: id)
  }

  /// Returns a device to the pool; if it does not stay open, the last user's call returns when it
  /// is closed.
  package func release(_ lease: Lease) async {
    if let slot = lease.slot { await leave(slot)?.value }
  }

  /// Succeeds at once if the device is open; otherwise opens and closes it, and throws the error of
  /// a failure.
  ///
  /// A user that requests the device meanwhile waits for the end.
  package func probe(_ opening: DeviceOpening<Server>) async throws {
    try Task.checkCancellation()
    while let (_, slot) = slot(of: opening.device), slot.isProbe || slot.closing != nil {
      try await end(of: slot)
    }
    let id = current[opening.device] ?? open(opening, isProbe: true)
    _ = try await use(id, opening)
    await leave(id)?.value
  }

  private func use(_ id: Int, _ opening: DeviceOpening<Server>) async throws -> Runtime {
    slots[id]?.idling?.cancel()
    slots[id]?.idling = nil
    slots[id]?.opening = opening
    slots[id]?.users += 1
    do {
      guard let task = slots[id]?.task else { throw CancellationError() }
      let runtime = try await task.valueUnlessCancelled()
      slots[id]?.runtime = runtime
      return runtime
    } catch {
      // A canceled opening may take a long time to end.
      _ = leave(id)
      throw error
    }
  }

  /// Removes a user; returns the task that closes the device if it was the last one.
  private func leave(_ id: Int) -> Task<Void, Never>? {
    guard let slot = slots[id] else { return nil }
    slots[id]?.users -= 1
    guard slot.users == 1 else { return nil }
    guard slot.canIdle else { return close(id) }
    idle(id, slot.opening)
    return nil
  }

  /// Keeps a device without users open for the idle time.
  private func idle(_ id: Int, _ opening: DeviceOpening<Server>) {
    slots[id]?.idling = Task { [weak self] in
      do { try await opening.clock.sleep(for: opening.idleTime) } catch { return }
      await self?.endIdling(id)
    }
  }

  private func endIdling(_ id: Int) async {
    // A user may have arrived at the last moment.
    if slots[id]?.users == 0 { await close(id)?.value }
  }

  /// Returns when nothing prevents an opening: a device that is closing or being probed, or an idle
  /// device in another format.
  private func makeRoom(for opening: DeviceOpening<Server>) async throws {
    while let (id, slot) = slot(of: opening.device) {
      if slot.isProbe {
        try await end(of: slot)
      } else {
        guard slot.closing != nil || !slot.serves(opening) else { return }
        _ = close(id)
        try await end(of: slot)
      }
    }
  }

  private func end(of slot: Slot) async throws {
    try await Task<Void, any Error> { await slot.over.wait() }.valueUnlessCancelled()
  }

  /// Begins to close a device and returns the task that closes it.
  private func close(_ id: Int) -> Task<Void, Never>? {
    guard let slot = slots[id] else { return nil }
    if let closing = slot.closing { return closing }
    slot.idling?.cancel()
    slot.task.cancel()
    let closing = Task { [task = slot.task] in
      // A device that was not opened need not be closed.
      if case .success(let runtime) = await task.result { await runtime.close() }
      forget(id)
    }
    slots[id]?.closing = closing
    return closing
  }

  /// The slot of a device; an ended runtime is left to its remaining users.
  private func slot(of device: Device) -> (id: Int, slot: Slot)? {
    guard let id = current[device], let slot = slots[id] else { return nil }
    guard slot.runtime?.hasEnded == true else { return (id, slot) }
    current[device] = nil
    return nil
  }

  private func open(_ opening: DeviceOpening<Server>, isProbe: Bool = false) -> Int {
    let id = nextSlot
    nextSlot += 1
    let task = Task { [weak self] in
      do {
        return try await opening.open()
      } catch {
        await self?.giveUp(id)
        throw error
      }
    }
    slots[id] = Slot(
      device: opening.device, request: opening.request, isProbe: isProbe, task: task,
      opening: opening)
    current[opening.device] = id
    return id
  }

  /// Removes the slot of a failed opening, so that the next request opens the device again.
  private func giveUp(_ id: Int) {
    guard let slot = slots[id], slot.closing == nil, current[slot.device] == id else { return }
    current[slot.device] = nil
  }

  private func forget(_ id: Int) {
    guard let slot = slots.removeValue(forKey: id) else { return }
    if current[slot.device] == id { current[slot.device] = nil }
    slot.over.open()
  }
}

extension DeviceOpening {
  fileprivate var device: DevicePool<Server>.Device {
    DevicePool<Server>.Device(card: card, id: request.device ?? "default")
  }
}

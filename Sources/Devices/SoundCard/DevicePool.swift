import AudioCore
import AudioThreads

/// The open devices of a client, each with a runtime.
///
/// A device is opened for its first user, shared by all users, and closed after the idle time.
package actor DevicePool<Server: PortServer> {
  package typealias Runtime = DeviceRuntime<Server>

  private struct Slot: Sendable {
    /// The request with which the device is opened.
    let request: PCMRequest
    /// Whether the device is opened only to test whether it can be opened.
    let isProbe: Bool
    let task: Task<Runtime, any Error>
    /// The opening passed by the most recent `acquire` or `probe`; its idle time applies.
    var opening: DeviceOpening<Server>
    /// Whether new users share this slot's device; false once the device has ended.
    var isCurrent = true
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

    /// Whether a user with the given opening can share the device.
    ///
    /// A device with users cannot be reopened, so a new user must be able to convert the device's
    /// format.
    func serves(_ other: DeviceOpening<Server>) -> Bool {
      users > 0 || other.convertsAnyFormat
        || (request.format == other.request.format && request.buffering == other.request.buffering)
    }
  }

  private var slots: [Int: Slot] = [:]
  private var nextSlot = 0

  /// Creates a pool without devices.
  package init() {}

  deinit {
    for slot in slots.values {
      slot.idling?.cancel()
      slot.runtime?.quit()
    }
  }

  /// Returns the requested device and opens it if necessary; call `release` when done.
  ///
  /// A canceled task gets `CancellationError` at once. When no caller waits for an opening any
  /// longer, the opening is canceled.
  package func acquire(_ opening: DeviceOpening<Server>) async throws -> Runtime {
    try Task.checkCancellation()
    try await makeRoom(for: opening)
    return try await use(slot(for: opening)?.id ?? open(opening), opening)
  }

  /// Adds a user to a device that another user keeps open; returns false if the device has ended.
  package func share(_ runtime: Runtime) -> Bool {
    guard let id = id(of: runtime), !runtime.hasEnded else { return false }
    slots[id]?.users += 1
    return true
  }

  /// Removes a user from a device.
  ///
  /// If this closes the device, the call returns after the device is closed.
  package func release(_ runtime: Runtime) async {
    if let id = id(of: runtime) { await leave(id)?.value }
  }

  /// Tests whether a device can be opened; throws the error if it cannot.
  ///
  /// The test succeeds at once if the device is open; otherwise it opens and closes the device.
  ///
  /// Other calls that request the device wait for the end of the test.
  package func probe(_ opening: DeviceOpening<Server>) async throws {
    try Task.checkCancellation()
    while let (_, slot) = slot(for: opening), slot.isProbe || slot.closing != nil {
      try await end(of: slot)
    }
    let id = slot(for: opening)?.id ?? open(opening, isProbe: true)
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
      // Do not wait for the end of a canceled opening, because it may take a long time.
      _ = leave(id)
      throw error
    }
  }

  /// Removes a user; if it was the last user, returns the task that closes the device.
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
    // A new user may have acquired the device just after the idle time.
    if slots[id]?.users == 0 { await close(id)?.value }
  }

  /// Waits for anything that prevents an opening: a device that is closing or being probed, or an
  /// idle device in another format.
  private func makeRoom(for opening: DeviceOpening<Server>) async throws {
    while let (id, slot) = slot(for: opening) {
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
      // If the opening failed or was canceled, there is no device to close.
      if case .success(let runtime) = await task.result { await runtime.close() }
      forget(id)
    }
    slots[id]?.closing = closing
    return closing
  }

  /// Returns the slot of the device that an opening requests; nil if there is none.
  ///
  /// If the slot's device has ended, its users keep the slot, but no new user gets it.
  private func slot(for opening: DeviceOpening<Server>) -> (id: Int, slot: Slot)? {
    let current = slots.first { $0.value.isCurrent && $0.value.opening.isOfSameDevice(as: opening) }
    guard let (id, slot) = current else { return nil }
    guard slot.runtime?.hasEnded == true else { return (id, slot) }
    slots[id]?.isCurrent = false
    return nil
  }

  private func id(of runtime: Runtime) -> Int? {
    slots.first { $0.value.runtime === runtime }?.key
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
    slots[id] = Slot(request: opening.request, isProbe: isProbe, task: task, opening: opening)
    return id
  }

  /// Removes the slot of a failed opening, so that the next request opens the device again.
  private func giveUp(_ id: Int) {
    if slots[id]?.closing == nil { slots[id]?.isCurrent = false }
  }

  private func forget(_ id: Int) {
    slots.removeValue(forKey: id)?.over.open()
  }
}

extension DeviceOpening {
  /// Whether both openings request the same device of the same sound card.
  ///
  /// The sound cards differ if a test overrides the card of only some users.
  fileprivate func isOfSameDevice(as other: DeviceOpening) -> Bool {
    card == other.card && (request.device ?? "default") == (other.request.device ?? "default")
  }
}

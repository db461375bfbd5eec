import AudioCore
import AudioThreads
import ClientDependencies
import SoundCard
import Synchronization

/// The state of a virtual card across openings: its connection, its remaining faults, its blocked
/// calls, and the streams of changes.
final class VirtualCardState: Sendable {
  /// Reports when the card is connected or unplugged.
  let changes = DeviceChanges()
  /// The consumers that a test clock in lockstep waits for.
  let lockstep: Lockstep?
  // The lock is held for a few instructions by a device's thread or pacer, by an opening, or by an observer.
  private let state: Mutex<(isUnplugged: Bool, script: VirtualScript)>
  // The lock is held for a few instructions; wakers and tasks are resumed after its release.
  private let blocked = Mutex<
    (
      calls: [Int: (call: VirtualFault.Call, waker: WakeUp)],
      waiting: [CheckedContinuation<VirtualFault.Call, Never>], isReleased: Bool, next: Int
    )
  >(([:], [], false, 0))

  init(_ faults: [VirtualFault], lockstep: Lockstep?) {
    state = Mutex((false, VirtualScript(faults)))
    self.lockstep = lockstep
  }

  /// Whether the card can be opened.
  var isPluggedIn: Bool { state.withLock { !$0.isUnplugged } }

  /// The remaining faults.
  var script: VirtualScript { state.withLock { $0.script } }

  /// Removes and returns the failure of an opening.
  func popOpenFailure() -> SoundCardError? {
    state.withLock { state in
      let last = FrameCount(.max)
      guard let (entry, error) = state.script.failure(in: .open, at: last) else { return nil }
      state.script.happened(entry)
      return error
    }
  }

  /// Removes and returns the block of an opening.
  func popOpenBlock() -> Duration? {
    state.withLock { state in
      let last = FrameCount(.max)
      guard let (entry, time) = state.script.block(in: .open, at: last) else { return nil }
      state.script.happened(entry)
      return time
    }
  }

  /// Records a fault of a device, which may unplug the card.
  func record(_ entry: VirtualScript.Entry) {
    state.withLock { state in
      state.script.happened(entry)
      if case .unplugged(_, .some) = entry.fault { state.isUnplugged = true }
    }
  }

  /// Reports a recorded fault, and reconnects an unplugged card after its time.
  func report(_ entry: VirtualScript.Entry, _ pace: VirtualPace) {
    guard case .unplugged(_, let time) = entry.fault else { return }
    announce()
    guard let time else { return }
    guard let stopwatch = pace.stopwatch else { return reconnect() }
    Task { [weak self] in
      try await stopwatch.sleep(time)
      self?.reconnect()
    }
  }

  private func reconnect() {
    state.withLock { $0.isUnplugged = false }
    announce()
  }

  private func announce() {
    lockstep?.expectReaction()
    changes.announce()
  }

  // MARK: Blocked calls

  /// Whether calls no longer block.
  var areCallsReleased: Bool { blocked.withLock { $0.isReleased } }

  /// Records a blocked call; `waker` is signaled when it should return.
  func beginBlock(in call: VirtualFault.Call, _ waker: WakeUp) -> Int {
    let (number, waiting) = blocked.withLock { blocked in
      blocked.next += 1
      blocked.calls[blocked.next] = (call, waker)
      defer { blocked.waiting = [] }
      return (blocked.next, blocked.waiting)
    }
    for continuation in waiting { continuation.resume(returning: call) }
    return number
  }

  /// Records that the call returned.
  func endBlock(_ number: Int) {
    blocked.withLock { $0.calls[number] = nil }
  }

  /// Releases all calls.
  func releaseCalls() {
    let wakers = blocked.withLock { blocked in
      blocked.isReleased = true
      return blocked.calls.values.map(\.waker)
    }
    for waker in wakers { waker.signal() }
  }

  /// Returns a blocked call, and waits for one if there is none.
  func blockedCall() async -> VirtualFault.Call {
    await withCheckedContinuation { continuation in
      let call = blocked.withLock { blocked in
        let call = blocked.calls.values.first?.call
        if call == nil { blocked.waiting.append(continuation) }
        return call
      }
      if let call { continuation.resume(returning: call) }
    }
  }
}

extension VirtualPace {
  /// A new lockstep that the test clock waits for; nil for any other pace.
  func makeLockstep() -> Lockstep? {
    #if !PointFreeDependencies
    guard case .lockstep(let clock as TestClock<Duration>, _) = self else { return nil }
    let lockstep = Lockstep()
    clock.add(lockstep)
    return lockstep
    #else
    return nil
    #endif
  }

  /// A stopwatch in card time, or nil for an untimed card.
  var stopwatch: Stopwatch? {
    switch self {
    case .untimed: nil
    case .clock(let clock), .lockstep(let clock, _): Stopwatch(clock)
    }
  }
}

#if !PointFreeDependencies
extension Lockstep: TimeHolder {}
#endif

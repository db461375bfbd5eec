import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// Whether a virtual card is there, what is still to go wrong with it, and who wants to know when
/// it comes or goes.
final class VirtualPlug: Sendable {
  private struct State {
    var isPulled = false
    var script: VirtualScript
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var next = 0
  }

  /// The calls that do not return.
  let blocked = BlockedCalls()
  // Held for a few instructions by a card's thread or pacer, and by those who open or listen.
  private let state: Mutex<State>

  init(_ faults: [VirtualFault]) {
    state = Mutex(State(script: VirtualScript(faults)))
  }

  /// Whether the card can be opened.
  var isIn: Bool { state.withLock { !$0.isPulled } }

  /// What is still to go wrong.
  var script: VirtualScript { state.withLock { $0.script } }

  /// What an opening fails with.
  func takeFailureToOpen() -> SoundCardError? {
    state.withLock { state in
      let last = FrameCount(.max)
      guard let (entry, error) = state.script.failure(in: .open, at: last) else { return nil }
      state.script.happened(entry)
      return error
    }
  }

  /// How long an opening takes; nil where it takes no time.
  func takeBlockOfOpening() -> VirtualBlock? {
    state.withLock { state in
      let last = FrameCount(.max)
      guard let (entry, time) = state.script.block(in: .open, at: last) else { return nil }
      state.script.happened(entry)
      return VirtualBlock(time: time)
    }
  }

  /// Something has gone wrong with a device.
  func note(_ entry: VirtualScript.Entry, _ pace: VirtualPace) {
    state.withLock { $0.script.happened(entry) }
    if case .unplugged(_, let time) = entry.fault { pull(for: time, pace) }
  }

  /// A stream that yields when the card comes or goes.
  func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.next += 1
      state.listeners[state.next] = continuation
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.listeners[number] = nil }
    }
    return stream
  }

  /// The card is unplugged, and put back when it is time.
  private func pull(for time: Duration?, _ pace: VirtualPace) {
    guard let time else { return announce() }
    state.withLock { $0.isPulled = true }
    announce()
    guard let stopwatch = pace.stopwatch else { return putBack() }
    Task { [weak self] in
      try await stopwatch.sleep(time)
      self?.putBack()
    }
  }

  private func putBack() {
    state.withLock { $0.isPulled = false }
    announce()
  }

  private func announce() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
  }
}

extension VirtualPace {
  /// The card's time from now on, nil where it has no clock.
  var stopwatch: Stopwatch? {
    switch self {
    case .untimed: nil
    case .clock(let clock), .lockstep(let clock, _): Stopwatch(clock)
    }
  }
}

/// The calls of a card's devices that do not return, and who wants to know of them.
final class BlockedCalls: Sendable {
  private struct State {
    var calls: [Int: (call: VirtualFault.Call, waker: WakeUp)] = [:]
    var waiting: [CheckedContinuation<VirtualFault.Call, Never>] = []
    var isReleased = false
    var next = 0
  }

  // Held for a few instructions; whoever is woken or resumed is so after it is released.
  private let state = Mutex(State())

  /// Whether no call blocks any more.
  var isReleased: Bool { state.withLock { $0.isReleased } }

  /// A call blocks from now on; `waker` is signalled when it is to return.
  func begin(_ call: VirtualFault.Call, _ waker: WakeUp) -> Int {
    let (number, waiting) = state.withLock { state in
      state.next += 1
      state.calls[state.next] = (call, waker)
      defer { state.waiting = [] }
      return (state.next, state.waiting)
    }
    for continuation in waiting { continuation.resume(returning: call) }
    return number
  }

  /// It has returned.
  func end(_ number: Int) {
    state.withLock { $0.calls[number] = nil }
  }

  /// Lets all return.
  func release() {
    let wakers = state.withLock { state in
      state.isReleased = true
      return state.calls.values.map(\.waker)
    }
    for waker in wakers { waker.signal() }
  }

  /// A call that blocks now, or the next that does.
  func first() async -> VirtualFault.Call {
    await withCheckedContinuation { continuation in
      let call = state.withLock { state in
        let call = state.calls.values.first?.call
        if call == nil { state.waiting.append(continuation) }
        return call
      }
      if let call { continuation.resume(returning: call) }
    }
  }
}

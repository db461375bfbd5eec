import AudioThreads
import Synchronization

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

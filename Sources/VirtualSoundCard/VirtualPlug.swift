import SoundCard
import Synchronization

/// Whether a virtual card is there, and who wants to know when that changes.
final class VirtualPlug: Sendable {
  private struct State {
    var isPulled = false
    /// What has happened, and does not happen again.
    var past: [VirtualFault] = []
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var next = 0
  }

  // Held for a few instructions by a card's thread or pacer, and by those who open or listen.
  private let state = Mutex(State())

  /// Whether the card can be opened.
  var isIn: Bool { state.withLock { !$0.isPulled } }

  /// What is still to go wrong.
  func left(of faults: [VirtualFault]) -> [VirtualFault] {
    state.withLock { state in faults.filter { !state.past.contains($0) } }
  }

  /// The card is unplugged, and put back when it is time.
  func pull(_ fault: VirtualFault, _ pace: VirtualPace) {
    guard case .unplugged(_, let time?) = fault else { return announce() }
    state.withLock { state in
      state.isPulled = true
      state.past.append(fault)
    }
    announce()
    switch pace {
    case .untimed: putBack()
    case .clock(let clock), .lockstep(let clock):
      let stopwatch = Stopwatch(clock)
      Task { [weak self] in
        try await stopwatch.sleep(time)
        self?.putBack()
      }
    }
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

  private func putBack() {
    state.withLock { $0.isPulled = false }
    announce()
  }

  private func announce() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
  }
}

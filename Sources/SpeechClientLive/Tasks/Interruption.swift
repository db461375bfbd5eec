import SpeechEngine
import Synchronization

/// Ends what a task's sessions are doing, on whichever threads, once nobody wants it any more.
final class Interruption: Sendable {
  private struct State {
    var hasCome = false
    var count = 0
    /// How to end each of the calls that are under way.
    var ways: [Int: @Sendable () -> Void] = [:]
  }

  // Held to note and to take the ways, never while one is gone.
  private let state = Mutex(State())

  /// Does what calls a session; where the interruption has come before, or comes meanwhile, the session
  /// is told.
  func reaching<Result>(
    _ session: any SpeechEngineSession, _ body: () throws -> Result
  ) rethrows -> Result {
    let interrupt = session.interrupt
    let (number, hasCome) = state.withLock { state in
      state.count += 1
      state.ways[state.count] = interrupt
      return (state.count, state.hasCome)
    }
    defer { state.withLock { _ = $0.ways.removeValue(forKey: number) } }
    if hasCome { interrupt() }
    return try body()
  }

  /// Interrupts the calls that are under way, and those that come.
  func come() {
    let ways = state.withLock { state in
      state.hasCome = true
      return state.ways.values
    }
    for interrupt in ways { interrupt() }
  }
}

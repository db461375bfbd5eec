import SpeechEngine
import Synchronization

/// Interrupts the sessions of a task, on all threads, once its results are no longer wanted.
final class Interruption: Sendable {
  private struct State {
    var isInterrupted = false
    var count = 0
    /// How to end each call in progress.
    var ways: [Int: @Sendable () -> Void] = [:]
  }

  // Held to change the table, never while a call is interrupted.
  private let state = Mutex(State())

  /// Runs a call of a session, which is interrupted by an earlier interruption or one during the call.
  func withInterruption<Result>(
    of session: any SpeechEngineSession, _ body: () throws -> Result
  ) rethrows -> Result {
    let interrupt = session.interrupt
    let (number, isInterrupted) = state.withLock { state in
      state.count += 1
      state.ways[state.count] = interrupt
      return (state.count, state.isInterrupted)
    }
    defer { state.withLock { _ = $0.ways.removeValue(forKey: number) } }
    if isInterrupted { interrupt() }
    return try body()
  }

  /// Interrupts the calls in progress and all later ones.
  func interrupt() {
    let ways = state.withLock { state in
      state.isInterrupted = true
      return state.ways.values
    }
    for interrupt in ways { interrupt() }
  }
}

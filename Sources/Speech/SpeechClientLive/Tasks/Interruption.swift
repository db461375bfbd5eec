import SpeechEngine
import Synchronization

/// Interrupts the sessions of a task, on all threads, once its results are no longer wanted.
final class Interruption: Sendable {
  private struct State {
    var isInterrupted = false
    var count = 0
    /// The functions that interrupt the calls in progress, by the numbers of the calls.
    var interrupts: [Int: @Sendable () -> Void] = [:]
  }

  // Held to change the table, never while a call is interrupted.
  private let state = Mutex(State())

  /// Runs a call of a session, which is interrupted by an earlier interruption or one during the call.
  func withInterruption<Result>(
    of session: any SpeechEngineSession, _ body: () throws -> Result
  ) rethrows -> Result {
    let (number, isInterrupted) = state.withLock { state in
      state.count += 1
      state.interrupts[state.count] = session.interrupt
      return (state.count, state.isInterrupted)
    }
    defer { state.withLock { _ = $0.interrupts.removeValue(forKey: number) } }
    if isInterrupted { session.interrupt() }
    return try body()
  }

  /// Interrupts the calls in progress and all later ones.
  func interrupt() {
    let interrupts = state.withLock { state in
      state.isInterrupted = true
      return state.interrupts.values
    }
    for interruptCall in interrupts { interruptCall() }
  }
}

import AudioThreads
import SpeechEngine
import Synchronization

/// One session of a task's engine on a thread, which decodes one utterance after the other.
actor Decoder {
  nonisolated let executor: ThreadExecutor

  private let engine: SpeechEngine
  private let options: SpeechSessionOptions
  private let pulse: Pulse
  private let interruption: Interruption
  private let isWanted: @Sendable () -> Bool
  private var session: (any SpeechEngineSession)?
  private var isInUtterance = false

  /// - Parameters:
  ///   - pulse: beats at each step.
  ///   - interruption: ends the session's calls.
  ///   - isWanted: whether the results are still wanted.
  init(
    engine: SpeechEngine, options: SpeechSessionOptions, executor: ThreadExecutor, pulse: Pulse,
    interruption: Interruption, isWanted: @escaping @Sendable () -> Bool
  ) {
    (self.engine, self.options, self.executor) = (engine, options, executor)
    (self.pulse, self.interruption, self.isWanted) = (pulse, interruption, isWanted)
  }

  /// The session is released on the thread that used it.
  isolated deinit {
    session = nil
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Loads the engine's model, or connects to its server.
  ///
  /// - Returns: the traits of the engine.
  func prepare() throws -> SpeechSessionTraits {
    try use { session in
      try session.prepare()
      return session.traits
    }
  }

  /// Processes the next audio of an utterance; the first call begins the utterance.
  func process(_ pieces: [[Float]]) throws {
    try use { session in
      if !isInUtterance { try session.beginUtterance() }
      isInUtterance = true
      for samples in pieces {
        guard isWanted() else { throw CancellationError() }
        try session.process(samples)
        pulse.beat()
      }
    }
  }

  /// The words so far.
  func hypothesis() throws -> SpeechHypothesis { try use { try $0.hypothesis } }

  /// Lets the engine decode an utterance that may be over.
  func anticipateEnd() throws { try use { try $0.anticipateEnd() } }

  /// The words of an utterance that ends with this audio.
  func finish(_ pieces: [[Float]]) throws -> SpeechHypothesis {
    try process(pieces)
    isInUtterance = false
    return try use { try $0.finishUtterance() }
  }

  /// Calls a session, which is unusable after an error; the next utterance gets another one.
  private func use<Value>(
    _ body: (any SpeechEngineSession) throws -> Value
  ) throws -> Value {
    do {
      guard isWanted() else { throw CancellationError() }
      let session = try session ?? engine.makeSession(options)
      self.session = session
      defer { pulse.beat() }
      return try interruption.withInterruption(of: session) { try body(session) }
    } catch {
      (session, isInUtterance) = (nil, false)
      throw error
    }
  }
}

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

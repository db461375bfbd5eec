import AudioThreads
import SpeechEngine
import Synchronization

/// One session of a task's engine, which decodes one utterance after the other on one thread.
actor Decoder {
  nonisolated let executor: ThreadExecutor

  private let engine: SpeechEngine
  private let options: SpeechSessionOptions
  private let control: TaskControl
  private let isWanted: @Sendable () -> Bool
  private var session: (any SpeechEngineSession)?
  private var isInUtterance = false

  /// Creates a decoder.
  ///
  /// `control` counts the task's steps to show progress, and interrupts the session's calls.
  /// `isWanted` returns whether the results are still wanted.
  init(
    engine: SpeechEngine, options: SpeechSessionOptions, executor: ThreadExecutor,
    control: TaskControl, isWanted: @escaping @Sendable () -> Bool
  ) {
    (self.engine, self.options, self.executor) = (engine, options, executor)
    (self.control, self.isWanted) = (control, isWanted)
  }

  /// Releases the session on the thread that used it.
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

  /// Processes the next audio of an utterance; the first call also begins the utterance.
  func process(_ pieces: [[Float]]) throws {
    try use { session in
      if !isInUtterance { try session.beginUtterance() }
      isInUtterance = true
      for samples in pieces {
        guard isWanted() else { throw CancellationError() }
        try session.process(samples)
        control.countStep()
      }
    }
  }

  /// Returns the words so far.
  func hypothesis() throws -> SpeechHypothesis { try use { try $0.hypothesis } }

  /// Asks the engine to decode an utterance that may be complete.
  func anticipateEnd() throws { try use { try $0.anticipateEnd() } }

  /// Returns the words of an utterance that ends with this audio.
  ///
  /// If `measuresWordTimes` is true, word times are measured, even if the options permit estimates.
  func finish(_ pieces: [[Float]], measuresWordTimes: Bool) throws -> SpeechHypothesis {
    try process(pieces)
    isInUtterance = false
    if measuresWordTimes { try use { $0.measureWordTimes() } }
    return try use { try $0.finishUtterance() }
  }

  /// Calls the session.
  ///
  /// After an error, the session is released, and the next utterance gets a new session.
  private func use<Value>(
    _ body: (any SpeechEngineSession) throws -> Value
  ) throws -> Value {
    do {
      guard isWanted() else { throw CancellationError() }
      let session = try session ?? engine.makeSession(options)
      self.session = session
      defer { control.countStep() }
      return try control.withInterruption(of: session) { try body(session) }
    } catch {
      (session, isInUtterance) = (nil, false)
      throw error
    }
  }
}

/// Counts the steps of a task, or of the tasks of several channels.
final class StepCounter: Sendable {
  private let steps = Atomic<Int>(0)

  /// The number of steps, which grows while a task makes progress.
  var count: Int { steps.load(ordering: .relaxed) }

  func add() {
    steps.wrappingAdd(1, ordering: .relaxed)
  }
}

/// Counts a task's steps, and interrupts the calls of its sessions on all threads when the task's
/// results are no longer needed.
final class TaskControl: Sendable {
  private let steps: StepCounter
  /// The functions that interrupt the calls in progress, keyed by call number.
  // The lock is never held while one of the functions runs.
  private let calls = Mutex<
    (isInterrupted: Bool, count: Int, interrupts: [Int: @Sendable () -> Void])
  >(
    (false, 0, [:]))

  init(steps: StepCounter = StepCounter()) {
    self.steps = steps
  }

  /// The number of steps, which grows while the task makes progress.
  var stepCount: Int { steps.count }

  func countStep() { steps.add() }

  /// Calls `body`, and interrupts the session if the task is interrupted before or during the call.
  func withInterruption<Result>(
    of session: any SpeechEngineSession, _ body: () throws -> Result
  ) rethrows -> Result {
    let (number, isInterrupted) = calls.withLock { calls in
      calls.count += 1
      calls.interrupts[calls.count] = session.interrupt
      return (calls.count, calls.isInterrupted)
    }
    defer { calls.withLock { _ = $0.interrupts.removeValue(forKey: number) } }
    if isInterrupted { session.interrupt() }
    return try body()
  }

  /// Interrupts the calls in progress and all later calls.
  func interrupt() {
    let interrupts = calls.withLock { calls in
      calls.isInterrupted = true
      return calls.interrupts.values
    }
    for interruptCall in interrupts { interruptCall() }
  }
}

import AudioThreads
import SpeechEngine
import Synchronization

/// Threads that decode whole utterances, each with a session of its own, for all tasks of a client
/// that want several at a time.
final class DecoderPool: Sendable {
  /// What a thread keeps from one utterance to the next: the session of the task that it worked for
  /// last.
  fileprivate struct Decoder {
    var task: Int?
    var session: (any SpeechEngineSession)?
  }

  fileprivate struct Work: Sendable {
    let perform: @Sendable (inout Decoder) -> Void
    let fail: @Sendable (any Error) -> Void
  }

  // Held to move work in and out, never while it is done.
  private let queue = Mutex(WorkQueue<Work>())
  // Held to change the table, and while all pulses beat.
  private let pulses = Mutex<[Int: Pulse]>([:])

  /// Adds a task that wants this many decoders, and returns its number.
  ///
  /// - Parameter pulse: beats whenever any decoder has moved, for whichever task: a task may wait
  ///   for those before it, and for a decoder that works for a later one.
  fileprivate func join(decoders: Int, pulse: Pulse) -> Int {
    let task = queue.withLock { $0.join(workers: decoders) }
    pulses.withLock { $0[task] = pulse }
    return task
  }

  fileprivate func leave(_ task: Int) {
    queue.withLock { $0.leave(task) }
    pulses.withLock { _ = $0.removeValue(forKey: task) }
  }

  /// Whether every task that joined before has left.
  fileprivate func isFirst(_ task: Int) -> Bool { queue.withLock { $0.first } == task }

  fileprivate func beat() {
    pulses.withLock { for pulse in $0.values { pulse.beat() } }
  }

  /// Has work done as soon as a decoder is free.
  fileprivate func add(_ work: Work, at place: WorkQueue<Work>.Place) {
    guard queue.withLock({ $0.add(work, at: place) }) else { return }
    do {
      _ = try DedicatedThread.start(name: "syrinx-decoder") { self.run() }
    } catch {
      for left in queue.withLock({ $0.workerFailed() }) { left.fail(error) }
    }
  }

  private func run() {
    var decoder = Decoder()
    while let work = queue.withLock({ $0.next() }) { work.perform(&decoder) }
  }
}

/// One task's part in a pool: it decodes the task's utterances, several at a time.
final class PooledDecoding: Sendable {
  private let engine: SpeechEngine
  private let options: SpeechSessionOptions
  private let jobCount: Int
  private let pool: DecoderPool
  private let task: Int
  private let interruption: Interruption
  private let isWanted: @Sendable () -> Bool

  /// - Parameters:
  ///   - pulse: beats whenever a decoder has moved, for this task or for another.
  ///   - interruption: ends what the decoders do for the task.
  ///   - isWanted: whether anybody still waits for the results.
  init(
    engine: SpeechEngine, options: SpeechSessionOptions, jobCount: Int, pool: DecoderPool,
    pulse: Pulse, interruption: Interruption, isWanted: @escaping @Sendable () -> Bool
  ) {
    (self.engine, self.options, self.jobCount, self.pool) = (engine, options, jobCount, pool)
    (self.interruption, self.isWanted) = (interruption, isWanted)
    task = pool.join(decoders: jobCount, pulse: pulse)
  }

  deinit {
    pool.leave(task)
  }

  /// How many utterances may wait for their words while the task goes on.
  ///
  /// One, until the task comes first, and then as many as keep every decoder at work. What waits
  /// for all tasks then grows with their number and with that of the decoders, not with the product
  /// of both.
  var limit: Int { pool.isFirst(task) ? jobCount + 1 : 1 }

  /// Returns when a session has been made and prepared.
  ///
  /// - Throws: what either throws.
  func prepare() async throws {
    let answer = Promise<SpeechHypothesis>()
    perform(
      at: -1,
      { session in
        try session.prepare()
        return SpeechHypothesis()
      }, whenDone: answer.resolve)
    _ = try await answer.value()
  }

  /// Decodes an utterance.
  ///
  /// - Parameters:
  ///   - knowledge: what the engine's listener knew before it.
  ///   - index: its place among the task's utterances.
  ///   - whenDone: called once, on a decoder's thread.
  func decode(
    _ pieces: [[Float]], knowing knowledge: any Sendable, index: Int,
    whenDone: @escaping @Sendable (Result<SpeechHypothesis, any Error>) -> Void
  ) {
    perform(
      at: index,
      { [isWanted, pool] session in
        try session.beginUtterance(knowing: knowledge)
        for samples in pieces {
          guard isWanted() else { throw CancellationError() }
          try session.process(samples)
          pool.beat()
        }
        return try session.finishUtterance()
      }, whenDone: whenDone)
  }

  private func perform(
    at index: Int,
    _ body: @escaping @Sendable (any SpeechEngineSession) throws -> SpeechHypothesis,
    whenDone: @escaping @Sendable (Result<SpeechHypothesis, any Error>) -> Void
  ) {
    let (engine, options, task, isWanted) = (engine, options, task, isWanted)
    let (pool, interruption) = (pool, interruption)
    let work = DecoderPool.Work(
      perform: { decoder in
        let result = Result {
          guard isWanted() else { throw CancellationError() }
          let session = try decoder.session(of: engine, options, task: task)
          return try interruption.reaching(session) { try body(session) }
        }
        // After an error a session is of no more use.
        if case .failure = result { decoder.session = nil }
        pool.beat()
        whenDone(result)
      },
      fail: { whenDone(.failure($0)) })
    pool.add(work, at: .init(task: task, index: index))
  }
}

extension DecoderPool.Decoder {
  /// The session for a task's next utterance; that of another task is released before one is made.
  fileprivate mutating func session(
    of engine: SpeechEngine, _ options: SpeechSessionOptions, task: Int
  ) throws -> any SpeechEngineSession {
    if self.task == task, let session { return session }
    session = nil
    let made = try engine.makeSession(options)
    (self.task, session) = (task, made)
    return made
  }
}

import SpeechEngine
import Synchronization

/// The utterances of one task that its workers take, from the scout who finds them to the session
/// that wants their words.
final class UtterancePlan: Sendable {
  typealias Words = Answer<SpeechHypothesis>

  /// An utterance that the scout has found.
  private struct Found {
    let pieces: [[Float]]
    let words: Words
  }

  let engine: SpeechEngine
  let options: SpeechSessionOptions
  private let workers: UtteranceWorkers
  private let number: Int
  private let isWanted: @Sendable () -> Bool
  // Held to note what was found and to take it.
  private let found = Mutex<[Int: Found]>([:])

  /// - Parameters:
  ///   - workers: who do the work, so many at a time.
  ///   - pulse: beats whenever a worker has moved, for this task or for another.
  ///   - isWanted: whether anybody still waits for the results.
  ///   - whenFirst: called once, when all tasks that joined the workers before have left them.
  init(
    engine: SpeechEngine, options: SpeechSessionOptions, jobCount: Int, workers: UtteranceWorkers,
    pulse: Pulse, isWanted: @escaping @Sendable () -> Bool,
    whenFirst: @escaping @Sendable () -> Void
  ) {
    (self.engine, self.options, self.workers, self.isWanted) = (engine, options, workers, isWanted)
    number = workers.join(workers: jobCount, pulse: pulse, whenFirst: whenFirst)
  }

  deinit {
    workers.leave(number)
  }

  /// Returns when it is known that a session can be made.
  func check() throws {
    let answer = try Answer<Void>()
    add(answer, index: -1) { _ in }
    try answer.wait()
  }

  /// Has an utterance recognised that the scout has found.
  func find(_ index: Int, _ pieces: [[Float]], knowing knowledge: any Sendable) throws {
    let words = try recognise(index, pieces, knowing: knowledge)
    found.withLock { $0[index] = Found(pieces: pieces, words: words) }
  }

  /// Blocks until an utterance is recognised: the one that the scout has found, where it is the
  /// same.
  func words(
    of index: Int, _ pieces: [[Float]], knowing knowledge: any Sendable
  ) throws -> SpeechHypothesis {
    let planned = found.withLock { $0.removeValue(forKey: index) }
    if let planned, planned.pieces == pieces { return try planned.words.wait() }
    return try recognise(index, pieces, knowing: knowledge).wait()
  }

  private func recognise(
    _ index: Int, _ pieces: [[Float]], knowing knowledge: any Sendable
  ) throws -> Words {
    let answer = try Words()
    add(answer, index: index) { [isWanted, workers] session in
      try session.beginUtterance(knowing: knowledge)
      for samples in pieces {
        guard isWanted() else { throw CancellationError() }
        try session.process(samples)
        workers.beat()
      }
      return try session.finishUtterance()
    }
    return answer
  }

  private func add<Value>(
    _ answer: Answer<Value>, index: Int,
    _ body: @escaping @Sendable (any SpeechEngineSession) throws -> Value
  ) {
    let (engine, options, number, isWanted) = (engine, options, number, isWanted)
    let workers = workers
    let work = UtteranceWorkers.Work(
      perform: { bench in
        let result = Result {
          guard isWanted() else { throw CancellationError() }
          return try body(try bench.session(of: engine, options, task: number))
        }
        // After an error a session is of no more use.
        if case .failure = result { bench.session = nil }
        workers.beat()
        answer.give(result)
      },
      fail: { answer.give(.failure($0)) })
    workers.add(work, at: .init(task: number, index: index))
  }
}

extension UtteranceWorkers.Bench {
  /// The session for a task's next utterance; a decoder goes back before another is asked for.
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

import SpeechEngine
import Synchronization

/// The utterances of one task that its workers take, from the scout who finds them to the session
/// that wants their words.
final class UtterancePlan: Sendable {
  typealias Words = Answer<SpeechHypothesis>

  /// An utterance that the scout has found.
  private struct Found {
    let index: Int
    let pieces: [[Float]]
    let words: Words
  }

  let engine: SpeechEngine
  let options: SpeechSessionOptions
  private let workers: UtteranceWorkers
  private let number: Int
  private let interruption: Interruption
  private let isWanted: @Sendable () -> Bool
  // Held to note what was found, in order, and to take it.
  private let found = Mutex<[Found]>([])

  /// - Parameters:
  ///   - workers: who do the work, so many at a time.
  ///   - pulse: beats whenever a worker has moved, for this task or for another.
  ///   - interruption: ends what the workers do for the task.
  ///   - isWanted: whether anybody still waits for the results.
  ///   - whenFirst: called once, when all tasks that joined the workers before have left them.
  init(
    engine: SpeechEngine, options: SpeechSessionOptions, jobCount: Int, workers: UtteranceWorkers,
    pulse: Pulse, interruption: Interruption, isWanted: @escaping @Sendable () -> Bool,
    whenFirst: @escaping @Sendable () -> Void
  ) {
    (self.engine, self.options, self.workers) = (engine, options, workers)
    (self.interruption, self.isWanted) = (interruption, isWanted)
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
    found.withLock { $0.append(Found(index: index, pieces: pieces, words: words)) }
  }

  /// The words of an utterance, which come when it is recognised, and its number: those of the one that
  /// the scout has found, where it is the same.
  ///
  /// What was found before that is forgotten: the task has lost it. One thread at a time asks.
  ///
  /// - Parameter index: the number of an utterance that the scout has not found.
  func words(
    of pieces: [[Float]], knowing knowledge: any Sendable, index: Int
  ) throws -> (index: Int, words: Words) {
    let known = found.withLock { $0 }
    guard let place = known.firstIndex(where: { $0.pieces == pieces }) else {
      return (index, try recognise(index, pieces, knowing: knowledge))
    }
    found.withLock { $0.removeFirst(place + 1) }
    return (known[place].index, known[place].words)
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
    let (workers, interruption) = (workers, interruption)
    let work = UtteranceWorkers.Work(
      perform: { bench in
        let result = Result {
          guard isWanted() else { throw CancellationError() }
          let session = try bench.session(of: engine, options, task: number)
          return try interruption.reaching(session) { try body(session) }
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

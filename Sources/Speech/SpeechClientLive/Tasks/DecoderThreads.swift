import AudioThreads
import SpeechEngine
import Synchronization

/// Threads that decode whole utterances, each with its own session, for all tasks of a client
/// that decode several at a time.
final class DecoderThreads: Sendable {
  /// The session that a thread keeps from one utterance to the next, and its task.
  fileprivate struct KeptSession {
    var task: Int?
    var session: (any SpeechEngineSession)?
  }

  fileprivate struct Work: Sendable {
    let perform: @Sendable (inout KeptSession) -> Void
    let fail: @Sendable (any Error) -> Void
  }

  // Held to move work in and out, never during the work.
  private let queue = Mutex(WorkQueue<Work>())
  // Held to change the table, and while all pulses beat.
  private let pulses = Mutex<[Int: Pulse]>([:])

  /// Adds a task that wants this many decoders, and returns its number.
  ///
  /// - Parameter pulse: beats at each step of any decoder, for any task: a task may wait for earlier
  ///   tasks, and for a decoder that works for a later one.
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

  /// Runs the work as soon as a decoder is free.
  fileprivate func add(_ work: Work, at place: WorkQueue<Work>.Place) {
    guard queue.withLock({ $0.add(work, at: place) }) else { return }
    do {
      _ = try DedicatedThread.start(name: "syrinx-decoder") { self.run() }
    } catch {
      for left in queue.withLock({ $0.workerFailed() }) { left.fail(error) }
    }
  }

  private func run() {
    var kept = KeptSession()
    while let work = queue.withLock({ $0.next() }) { work.perform(&kept) }
  }
}

/// A task's share of the decoder threads, which decodes several of its utterances at a time.
final class ParallelDecoding: Sendable {
  private let engine: SpeechEngine
  private let options: SpeechSessionOptions
  private let jobCount: Int
  private let threads: DecoderThreads
  private let task: Int
  private let interruption: Interruption
  private let isWanted: @Sendable () -> Bool

  /// - Parameters:
  ///   - pulse: beats at each step of a decoder, for this task or another.
  ///   - interruption: ends the decoders' calls for the task.
  ///   - isWanted: whether the results are still wanted.
  init(
    engine: SpeechEngine, options: SpeechSessionOptions, jobCount: Int, threads: DecoderThreads,
    pulse: Pulse, interruption: Interruption, isWanted: @escaping @Sendable () -> Bool
  ) {
    (self.engine, self.options, self.jobCount, self.threads) = (engine, options, jobCount, threads)
    (self.interruption, self.isWanted) = (interruption, isWanted)
    task = threads.join(decoders: jobCount, pulse: pulse)
  }

  deinit {
    threads.leave(task)
  }

  /// How many utterances may wait for their words while the task continues.
  ///
  /// One until the task is the first, and then enough to keep every decoder busy. The backlog of all
  /// tasks then grows with the sum of tasks and decoders, not with their product.
  var limit: Int { threads.isFirst(task) ? jobCount + 1 : 1 }

  /// Returns when a session has been made and prepared.
  ///
  /// - Throws: the engine's error.
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
  ///   - state: the state of the engine's adaptation before it.
  ///   - index: its number among the task's utterances.
  ///   - whenDone: called once, on a decoder's thread.
  func decode(
    _ pieces: [[Float]], adaptationState state: any Sendable, index: Int,
    whenDone: @escaping @Sendable (Result<SpeechHypothesis, any Error>) -> Void
  ) {
    perform(
      at: index,
      { [isWanted, threads] session in
        try session.beginUtterance(adaptationState: state)
        for samples in pieces {
          guard isWanted() else { throw CancellationError() }
          try session.process(samples)
          threads.beat()
        }
        return try session.finishUtterance()
      }, whenDone: whenDone)
  }

  private func perform(
    at index: Int,
    _ body: @escaping @Sendable (any SpeechEngineSession) throws -> SpeechHypothesis,
    whenDone: @escaping @Sendable (Result<SpeechHypothesis, any Error>) -> Void
  ) {
    let work = DecoderThreads.Work(
      perform: { [engine, options, task, isWanted, threads, interruption] kept in
        let result = Result {
          guard isWanted() else { throw CancellationError() }
          let session = try kept.session(of: engine, options, task: task)
          return try interruption.withInterruption(of: session) { try body(session) }
        }
        // A session is unusable after an error.
        if case .failure = result { kept.session = nil }
        threads.beat()
        whenDone(result)
      },
      fail: { whenDone(.failure($0)) })
    threads.add(work, at: (task, index))
  }
}

extension DecoderThreads.KeptSession {
  /// The session for a task's next utterance; another task's session is released before.
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

/// Work for a few workers, in the order of its tasks.
struct WorkQueue<Work> {
  /// The position of a piece of work: by its task, then by its index within the task.
  typealias Place = (task: Int, index: Int)

  private var waiting: [(place: Place, work: Work)] = []
  private var limits: [Int: Int] = [:]
  private var taskCount = 0
  private(set) var workerCount = 0

  /// The first task; nil if there is none.
  var first: Int? { limits.keys.min() }

  /// The maximum number of workers: the most that any task wants.
  var limit: Int { limits.values.max() ?? 1 }

  /// Adds a task that wants this many workers, and returns its number.
  mutating func join(workers: Int) -> Int {
    taskCount += 1
    limits[taskCount] = workers
    return taskCount
  }

  /// Removes a task; its waiting work is still done.
  mutating func leave(_ task: Int) {
    limits[task] = nil
  }

  /// Adds work; returns whether a worker must be started for it.
  mutating func add(_ work: Work, at place: Place) -> Bool {
    let index = waiting.firstIndex { place < $0.place } ?? waiting.endIndex
    waiting.insert((place, work), at: index)
    guard workerCount < limit else { return false }
    workerCount += 1
    return true
  }

  /// The next work of a worker; nil if the worker shall end.
  mutating func next() -> Work? {
    guard workerCount <= limit, !waiting.isEmpty else {
      workerCount -= 1
      return nil
    }
    return waiting.removeFirst().work
  }

  /// Notes that a worker could not be started; returns the work for which no worker is left.
  mutating func workerFailed() -> [Work] {
    workerCount -= 1
    guard workerCount == 0 else { return [] }
    defer { waiting = [] }
    return waiting.map(\.work)
  }
}

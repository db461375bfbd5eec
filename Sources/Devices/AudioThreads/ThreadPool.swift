import Synchronization

/// A few threads that tasks share, for calls that usually return soon but may block, such as reads
/// from a disk.
///
/// One thread runs the jobs. When the first job has waited for `patience`, because a call blocks or
/// there is much to do, one more thread joins and works until no job waits. So a blocked call keeps
/// its thread, but delays the other jobs only by `patience`. The threads end with the pool.
///
/// A task that starts with `Task(executorPreference:)` runs here only, in the default actors and
/// nonisolated functions that it calls, too. An actor with a serial executor would not: Swift
/// resumes its continuations by way of the cooperative pool, which an app may keep busy.
package final class ThreadPool: TaskExecutor {
  package typealias Job = @Sendable () -> Void

  private struct State {
    var threadCount = 0
    /// The number of threads that run jobs, including those in blocked calls.
    var workerCount = 0
    /// Whether a thread sleeps until it may join the workers.
    var isWatched = false
    var lastJoin = ContinuousClock.now
    /// The waiting jobs; each retains the pool.
    var jobs: [(job: Job, arrival: ContinuousClock.Instant, pool: ThreadPool)] = []

    /// The number of threads that run no job.
    var freeCount: Int { threadCount - workerCount }
  }

  private enum Step {
    case run(Job)
    case sleep(Duration)
    case end
  }

  /// The maximum number of sleeping threads: one that works when a job comes, and one that may join.
  private static let spareCount = 2
  private static let forever = Duration.seconds(1_000_000)

  private let name: String
  private let patience: Duration
  /// Wakes all sleeping threads; each then looks for a job.
  private let wakeUp: WakeUp
  // The lock is held for a few instructions and the start of a thread, never during a job.
  private let state = Mutex(State())

  /// Starts the first thread.
  ///
  /// - Parameters:
  ///   - name: the threads' name; the system shows its first 15 bytes.
  ///   - patience: the longest time for which jobs wait before another thread joins.
  package init(name: String, patience: Duration) throws(SystemError) {
    (self.name, self.patience) = (name, patience)
    wakeUp = try WakeUp()
    try state.withLock { state throws(SystemError) in try startThread(&state) }
  }

  deinit {
    wakeUp.signal()
  }

  /// The number of threads.
  package var threadCount: Int { state.withLock { $0.threadCount } }

  /// Runs a job after those that wait.
  package func perform(_ job: @escaping Job) {
    state.withLock { state in
      state.jobs.append((job, .now, self))
      wakeThread(&state)
    }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    perform { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Lets the waiting jobs run before the calling task continues.
  package nonisolated(nonsending) func yield() async {
    await withCheckedContinuation { continuation in
      perform { continuation.resume() }
    }
  }

  /// Wakes or starts a thread if jobs wait and no thread would look at them in time.
  private func wakeThread(_ state: inout State) {
    guard !state.jobs.isEmpty, state.workerCount == 0 || !state.isWatched else { return }
    if state.freeCount > 0 { return wakeUp.signal() }
    // Without another thread, the existing threads run the job later.
    try? startThread(&state)
  }

  private func startThread(_ state: inout State) throws(SystemError) {
    // A thread retains the pool only while it works, so that the pool can be released.
    _ = try DedicatedThread.start(name: name) { [wakeUp, weak self] in
      while let pause = self?.work() { wakeUp.wait(atMost: pause) }
      // Of several sleeping threads, only one may have seen the signal for the end of the pool.
      wakeUp.signal()
    }
    state.threadCount += 1
  }

  // MARK: The threads

  /// Runs jobs; returns how long the thread should sleep, or nil if it is not needed any more.
  private func work() -> Duration? {
    var isWorker = false
    while true {
      switch next(&isWorker) {
      case .run(let job): job()
      case .sleep(let pause): return pause
      case .end: return nil
      }
    }
  }

  /// Returns what a thread does next, and whether it is then one of the workers.
  private func next(_ isWorker: inout Bool) -> Step {
    state.withLock { state in
      if !isWorker { state.isWatched = false }
      guard let first = state.jobs.first else {
        if isWorker { state.workerCount -= 1 }
        isWorker = false
        guard state.freeCount > Self.spareCount else { return .sleep(Self.forever) }
        state.threadCount -= 1
        return .end
      }
      if !isWorker {
        let now = ContinuousClock.now
        // After a join, the other jobs get time to run before yet another thread joins.
        let waited = min(first.arrival.duration(to: now), state.lastJoin.duration(to: now))
        guard state.workerCount == 0 || waited >= patience else {
          state.isWatched = true
          return .sleep(patience - waited)
        }
        isWorker = true
        state.workerCount += 1
        state.lastJoin = now
      }
      state.jobs.removeFirst()
      wakeThread(&state)
      return .run(first.job)
    }
  }
}

/// A pool that exists as long as it has users.
package final class SharedThreadPool: Sendable {
  private struct Current {
    weak var pool: ThreadPool?
  }

  private let name: String
  private let patience: Duration
  // The lock is held for a few instructions and the start of a thread.
  private let current = Mutex(Current())

  /// - Parameters:
  ///   - name: the threads' name; the system shows its first 15 bytes.
  ///   - patience: the longest time for which jobs wait before another thread joins.
  package init(name: String, patience: Duration = .milliseconds(10)) {
    (self.name, self.patience) = (name, patience)
  }

  /// Returns the pool, or makes one if it has no user; the caller uses it while it retains it.
  package func pool() throws(SystemError) -> ThreadPool {
    try current.withLock { current throws(SystemError) in
      if let pool = current.pool { return pool }
      let pool = try ThreadPool(name: name, patience: patience)
      current.pool = pool
      return pool
    }
  }
}

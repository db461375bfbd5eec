import Synchronization

/// A few threads that tasks share, for calls that usually return soon but may block, such as reads
/// from a disk.
///
/// One thread runs the jobs. A blocked call keeps its thread. The first job behind it waits for
/// `joinDelay`, until another thread joins; later jobs do not wait. Each further delay doubles the
/// number of threads that may run jobs, so even hundreds of blocked calls cause few delays. Once no
/// job waits, that number is one more than the number of calls in progress. The threads end with
/// the pool.
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
    /// The number of workers up to which a thread joins at once.
    var allowedCount = 1
    /// Whether a thread sleeps until it may join the workers.
    var isWatched = false
    /// The time of the last join after a delay.
    var lastJoin = ContinuousClock.now
    /// The waiting jobs; each retains the pool.
    var jobs: [(job: Job, arrival: ContinuousClock.Instant)] = []

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
  private let joinDelay: Duration
  /// Wakes at least one sleeping thread, which then looks for a job.
  private let wakeUp: WakeUp
  // The lock is held for a few instructions and the start of a thread, never during a job.
  private let state = Mutex(State())

  /// Starts the first thread.
  ///
  /// - Parameters:
  ///   - name: the threads' name; the system shows its first 15 bytes.
  ///   - joinDelay: how long a job waits before another thread joins.
  package init(name: String, joinDelay: Duration) throws(SystemError) {
    (self.name, self.joinDelay) = (name, joinDelay)
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
      state.jobs.append(({ withExtendedLifetime(self, job) }, .now))
      wakeThread(&state)
    }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    perform { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Lets the waiting jobs run before the calling task continues.
  package nonisolated(nonsending) func yield() async {
    guard state.withLock({ !$0.jobs.isEmpty }) else { return }
    await withCheckedContinuation { continuation in
      perform { continuation.resume() }
    }
  }

  /// Wakes or starts a thread if jobs wait and no thread would look at them in time.
  private func wakeThread(_ state: inout State) {
    guard !state.jobs.isEmpty, state.workerCount < state.allowedCount || !state.isWatched
    else { return }
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
        if isWorker {
          // One thread more than those that still work, which may be in blocked calls.
          state.allowedCount = state.workerCount
          state.workerCount -= 1
          isWorker = false
        }
        guard state.freeCount > Self.spareCount else { return .sleep(Self.forever) }
        state.threadCount -= 1
        return .end
      }
      if !isWorker {
        let now = ContinuousClock.now
        // After a join, the other jobs get time to run before yet another thread joins.
        let waited = min(first.arrival.duration(to: now), state.lastJoin.duration(to: now))
        let isAllowed = state.workerCount < state.allowedCount
        guard isAllowed || waited >= joinDelay else {
          state.isWatched = true
          return .sleep(joinDelay - waited)
        }
        if !isAllowed {
          state.allowedCount *= 2
          state.lastJoin = now
        }
        isWorker = true
        state.workerCount += 1
      }
      state.jobs.removeFirst()
      wakeThread(&state)
      return .run(first.job)
    }
  }
}

/// Gives all its users the same pool, which ends with the last of them.
package final class SharedThreadPool: Sendable {
  private struct Current {
    weak var pool: ThreadPool?
  }

  private let name: String
  private let joinDelay: Duration
  // The lock is held for a few instructions and the start of a thread.
  private let current = Mutex(Current())

  /// - Parameters:
  ///   - name: the threads' name; the system shows its first 15 bytes.
  ///   - joinDelay: how long a job waits before another thread joins.
  package init(name: String, joinDelay: Duration = .milliseconds(10)) {
    (self.name, self.joinDelay) = (name, joinDelay)
  }

  /// Returns the pool, or makes one if it has no user; the caller uses it while it retains it.
  package func pool() throws(SystemError) -> ThreadPool {
    try current.withLock { current throws(SystemError) in
      if let pool = current.pool { return pool }
      let pool = try ThreadPool(name: name, joinDelay: joinDelay)
      current.pool = pool
      return pool
    }
  }
}

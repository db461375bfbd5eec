import Synchronization

/// A few threads that executors share, for calls that usually return soon but may block, such as
/// reads from a disk.
///
/// Two threads work at a time. A job that has run for `patience` counts as stuck, and another
/// thread takes its place. The later jobs of its executor count as stuck from their start, so each
/// executor on a slow disk delays the others only once and by that time. A third thread waits for
/// stuck jobs while both work and jobs wait. The threads end with the last executor.
package final class ThreadPool: Sendable {
  private struct State {
    var executorCount = 0
    var threadCount = 0
    /// The executors with jobs, in the order of their turns.
    var waiting: [PoolExecutor] = []
    /// The wake-ups of the sleeping threads.
    var idle: [WakeUp] = []
    /// The beginnings of the running jobs, by the wake-ups of their threads.
    var running: [ObjectIdentifier: ContinuousClock.Instant] = [:]
    /// The thread that waits until a running job is stuck.
    var watcher: WakeUp?
  }

  private enum Step {
    case run(PoolExecutor)
    case sleep(Duration?)
    case end
  }

  /// The number of threads that work at a time.
  private static let limit = 2

  private let name: String
  private let patience: Duration
  // The lock is held for a few instructions and the start of a thread, never during a job.
  private let state = Mutex(State())

  /// Creates a pool without threads.
  ///
  /// - Parameters:
  ///   - name: the threads' name; the system shows its first 15 bytes.
  ///   - patience: the time after which a job counts as stuck.
  package init(name: String, patience: Duration = .milliseconds(10)) {
    (self.name, self.patience) = (name, patience)
  }

  /// The number of threads, at most three more than there are stuck jobs.
  package var threadCount: Int { state.withLock { $0.threadCount } }

  /// Counts a new executor, and starts the first thread.
  fileprivate func join() throws {
    try state.withLock { state in
      if state.threadCount == 0 { try startThread(&state) }
      state.executorCount += 1
    }
  }

  /// Ends the threads if no executor is left.
  fileprivate func leave() {
    let sleepers = state.withLock { state -> [WakeUp] in
      state.executorCount -= 1
      guard state.executorCount == 0 else { return [] }
      defer { state.idle = [] }
      return state.idle + (state.watcher.map { [$0] } ?? [])
    }
    for sleeper in sleepers { sleeper.signal() }
  }

  /// Runs the next job of an executor, after those of the executors that wait already.
  fileprivate func schedule(_ executor: PoolExecutor) {
    state.withLock { state in
      state.waiting.append(executor)
      wakeThread(&state)
    }
  }

  /// Wakes or starts a thread, unless two threads work and another one watches them.
  private func wakeThread(_ state: inout State) {
    let stuckCount = state.running.count - workingCount(state)
    let awakeCount = state.threadCount - state.idle.count - stuckCount
    guard !state.waiting.isEmpty, awakeCount <= Self.limit else { return }
    if let sleeper = state.idle.popLast() { return sleeper.signal() }
    // Without another thread, the existing threads run the job later.
    try? startThread(&state)
  }

  private func startThread(_ state: inout State) throws {
    let wakeUp = try WakeUp()
    _ = try DedicatedThread.start(name: name) { [self] in work(wakeUp) }
    state.threadCount += 1
  }

  private func workingCount(_ state: State) -> Int {
    let oldest = ContinuousClock.now - patience
    return state.running.values.filter { $0 > oldest }.count
  }

  // MARK: The threads

  private func work(_ wakeUp: WakeUp) {
    var unfinished: PoolExecutor?
    while true {
      switch next(wakeUp, unfinished.take()) {
      case .run(let executor): if executor.runJob(patience) { unfinished = executor }
      case .sleep(let timeout): wakeUp.wait(atMost: timeout)
      case .end: return
      }
    }
  }

  /// Returns what a thread does next; `unfinished` is its last executor if that has more jobs.
  private func next(_ wakeUp: WakeUp, _ unfinished: PoolExecutor?) -> Step {
    state.withLock { state in
      let id = ObjectIdentifier(wakeUp)
      state.running[id] = nil
      // After a timeout or an earlier signal, the thread may still be among the idle ones.
      state.idle.removeAll { $0 === wakeUp }
      if state.watcher === wakeUp { state.watcher = nil }
      if let unfinished { state.waiting.append(unfinished) }
      if !state.waiting.isEmpty, workingCount(state) < Self.limit {
        let executor = state.waiting.removeFirst()
        state.running[id] = ContinuousClock.now - (executor.isSlow ? patience : .zero)
        wakeThread(&state)
        return .run(executor)
      }
      if !state.waiting.isEmpty, state.watcher == nil {
        state.watcher = wakeUp
        let oldest = ContinuousClock.now - patience
        let first = state.running.values.filter { $0 > oldest }.min()
        return .sleep(first.map { oldest.duration(to: $0) } ?? .zero)
      }
      if state.executorCount == 0 || state.idle.count > Self.limit {
        state.threadCount -= 1
        return .end
      }
      state.idle.append(wakeUp)
      return .sleep(nil)
    }
  }
}

/// A serial executor without a thread of its own, for actors that call blocking C functions.
///
/// Its jobs run on the threads of a pool, which the executors use in turns, job by job. Return it
/// as an actor's `unownedExecutor`.
package final class PoolExecutor: SerialExecutor {
  private let pool: ThreadPool
  // The lock is held to add and remove jobs, never while a job runs. An executor that is scheduled
  // waits in the pool, or its job is running; the pool retains it meanwhile.
  private let pending = Mutex<
    (jobs: [UnownedJob], isScheduled: Bool, yielded: CheckedContinuation<Void, Never>?)
  >(([], false, nil))
  private let slow = Atomic<Bool>(false)

  /// - Throws: `SystemError` if the system has no thread or descriptor left.
  package init(_ pool: ThreadPool) throws {
    self.pool = pool
    try pool.join()
  }

  deinit {
    pool.leave()
  }

  /// Whether a job has run for the pool's patience; all later jobs count as stuck.
  package var isSlow: Bool {
    get { slow.load(ordering: .relaxed) }
    set { slow.store(newValue, ordering: .relaxed) }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let wasScheduled = pending.withLock { pending in
      defer { pending.isScheduled = true }
      pending.jobs.append(job)
      return pending.isScheduled
    }
    if !wasScheduled { pool.schedule(self) }
  }

  /// Gives the other executors of the pool their turns; call it only on this executor.
  ///
  /// It takes one turn of Swift's cooperative pool; `Task.yield` takes two.
  package nonisolated(nonsending) func yield() async {
    await withCheckedContinuation { continuation in
      // The caller is suspended when its job returns; only then it can be resumed as a new job.
      pending.withLock { $0.yielded = continuation }
    }
  }

  /// Runs the first job; returns whether there are more.
  fileprivate func runJob(_ patience: Duration) -> Bool {
    let job = pending.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
    let begin = ContinuousClock.now
    job?.runSynchronously(on: asUnownedSerialExecutor())
    if ContinuousClock.now - begin >= patience { isSlow = true }
    pending.withLock { $0.yielded.take() }?.resume()
    return pending.withLock { pending in
      pending.isScheduled = !pending.jobs.isEmpty
      return pending.isScheduled
    }
  }
}

import Synchronization

/// A serial executor with its own thread, for actors that call blocking C functions.
///
/// Return it as an actor's `unownedExecutor` to keep the actor off Swift's cooperative pool. The
/// thread ends when the executor is released.
public final class ThreadExecutor: SerialExecutor {
  /// The thread; use it to wait for its end.
  public let thread: DedicatedThread

  private let queue: JobQueue

  /// Starts the thread.
  ///
  /// - Parameter name: the thread's name; the system shows its first 15 bytes.
  /// - Throws: `ThreadError` or `WakeUpError` if the system has no thread or descriptor left.
  public init(name: String) throws {
    let queue = JobQueue(wakeUp: try WakeUp())
    self.queue = queue
    thread = try DedicatedThread.start(name: name) { queue.runUntilStopped() }
  }

  deinit {
    queue.stop()
  }

  /// Enqueues a job to run on the thread, in order.
  public func enqueue(_ job: consuming ExecutorJob) {
    queue.append(JobQueue.Entry(job: UnownedJob(job), executor: self))
  }
}

/// The pending jobs; the thread retains the queue but not the executor.
private final class JobQueue: Sendable {
  /// A pending job; it retains its executor, because it may release the last other reference.
  struct Entry {
    let job: UnownedJob
    let executor: ThreadExecutor
  }

  private struct State {
    var entries: [Entry] = []
    var isStopped = false
  }

  // Held to move entries in and out, never while a job runs.
  private let state = Mutex(State())
  private let wakeUp: WakeUp

  init(wakeUp: WakeUp) {
    self.wakeUp = wakeUp
  }

  func append(_ entry: Entry) {
    state.withLock { $0.entries.append(entry) }
    wakeUp.signal()
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    wakeUp.signal()
  }

  func runUntilStopped() {
    while runPending() { wakeUp.wait() }
  }

  /// Runs the pending jobs; returns false when the queue is stopped and empty.
  private func runPending() -> Bool {
    while let entry = next() {
      entry.job.runSynchronously(on: entry.executor.asUnownedSerialExecutor())
    }
    return !state.withLock { $0.isStopped && $0.entries.isEmpty }
  }

  private func next() -> Entry? {
    state.withLock { $0.entries.isEmpty ? nil : $0.entries.removeFirst() }
  }
}

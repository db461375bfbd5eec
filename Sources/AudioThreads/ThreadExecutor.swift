import Synchronization

/// A serial executor with a thread of its own: an actor that returns it as its `unownedExecutor`
/// may call C functions that block, without holding up Swift's cooperative pool.
///
/// The thread ends when the executor is released, which an actor does in its own deinitialiser.
public final class ThreadExecutor: SerialExecutor {
  /// The thread, to wait for its end.
  public let thread: DedicatedThread

  private let queue: JobQueue

  /// Starts the thread.
  ///
  /// - Parameter name: at most 15 bytes of it are shown by the system.
  /// - Throws: `ThreadError` or `WakeUpError` where the system has no thread or descriptor left.
  public init(name: String) throws {
    let queue = JobQueue(wakeUp: try WakeUp())
    self.queue = queue
    thread = try DedicatedThread.start(name: name) { queue.runUntilStopped() }
  }

  deinit {
    queue.stop()
  }

  /// Runs a job on the thread, after those that came before.
  public func enqueue(_ job: consuming ExecutorJob) {
    queue.append(JobQueue.Entry(job: UnownedJob(job), executor: self))
  }
}

/// The jobs that wait for the thread; the thread holds it, but not the executor.
private final class JobQueue: Sendable {
  /// A job keeps its executor alive until it has run: it may release the last other reference.
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

  /// Runs what is there; false where nothing is left to come.
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

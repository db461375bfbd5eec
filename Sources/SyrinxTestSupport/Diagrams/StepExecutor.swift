import Synchronization

/// Keeps the jobs of its tasks until it is told to run them: time stands still in between.
final class StepExecutor: TaskExecutor {
  // Held to move jobs in and out, never while one runs.
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs jobs, and those that they bring, until all tasks wait for something.
  func runUntilQuiet() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

#if !PointFreeDependencies
/// Runs each job at once, on the thread that enqueues it.
///
/// It is for tasks that only wait to be resumed: what resumes them has their work done when the
/// call returns.
final class InlineExecutor: TaskExecutor {
  static let shared = InlineExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    job.runSynchronously(on: asUnownedTaskExecutor())
  }
}
#endif

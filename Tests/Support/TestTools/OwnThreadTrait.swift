import Dispatch
package import Testing

/// Runs each test of a suite on a thread of its own.
///
/// Swift's pool has a thread for each core. A test that decodes for seconds without a suspension holds one, and
/// every asynchronous test beside it waits at each of its steps.
package struct OwnThreadTrait: SuiteTrait, TestTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(QueueExecutor()) { try await function() }
  }
}

extension Trait where Self == OwnThreadTrait {
  /// Runs each test of a suite on a thread of its own.
  package static var ownThread: Self { Self() }
}

/// Runs a task's jobs on a queue of its own, which Dispatch gives a thread while it has work.
private final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "test")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

import Foundation
package import Testing

/// Runs each test of a suite outside Swift's cooperative thread pool.
///
/// The pool has one thread per core. A test that decodes for seconds without suspending would block
/// a thread and delay the asynchronous tests that run at the same time.
package struct OwnThreadTrait: SuiteTrait, TestTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ThreadPerJob()) { try await function() }
  }
}

extension Trait where Self == OwnThreadTrait {
  /// Runs each test outside Swift's cooperative thread pool.
  package static var ownThread: Self { Self() }
}

/// Starts a thread for each job of a task, because Dispatch's queues would share the threads of the
/// pool.
private final class ThreadPerJob: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

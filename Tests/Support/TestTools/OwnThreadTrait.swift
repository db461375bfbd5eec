import Foundation
package import Testing

/// Runs each test of a suite on threads of its own.
///
/// Swift's pool has a thread for each core. A test that decodes for seconds without a suspension holds
/// one, and every asynchronous test beside it waits at each of its steps.
package struct OwnThreadTrait: SuiteTrait, TestTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ThreadPerJob()) { try await function() }
  }
}

extension Trait where Self == OwnThreadTrait {
  /// Runs each test of a suite on threads of its own.
  package static var ownThread: Self { Self() }
}

/// Starts a thread for each job of a task; Dispatch's queues share as few threads as Swift's pool.
private final class ThreadPerJob: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

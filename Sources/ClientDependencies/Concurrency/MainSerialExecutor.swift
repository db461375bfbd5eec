#if !PointFreeDependencies
import Foundation

/// Runs an operation with all tasks of the process on the main thread, one after the other.
///
/// Tasks that the operation starts run in the order in which they were started, which makes the
/// outcome of concurrent code the same each time. It is for tests that run alone: every task of the
/// process is concerned, not only the operation's.
///
/// - Throws: what the operation throws.
@MainActor
public func withMainSerialExecutor(
  @_implicitSelfCapture operation: @MainActor @Sendable () async throws -> Void
) async rethrows {
  let wasUsed = uncheckedUseMainSerialExecutor
  defer { uncheckedUseMainSerialExecutor = wasUsed }
  uncheckedUseMainSerialExecutor = true
  try await operation()
}

/// Runs a synchronous operation with all tasks of the process on the main thread.
///
/// It goes around `invokeTest()` of an XCTest case.
///
/// - Throws: what the operation throws.
public func withMainSerialExecutor(
  @_implicitSelfCapture operation: () throws -> Void
) rethrows {
  let wasUsed = uncheckedUseMainSerialExecutor
  defer { uncheckedUseMainSerialExecutor = wasUsed }
  uncheckedUseMainSerialExecutor = true
  try operation()
}

/// Whether all tasks of the process run on the main thread, until it is set to `false`.
///
/// `withMainSerialExecutor` sets it back by itself. Where the Swift runtime has no hook for it,
/// setting it is a reported issue.
///
/// Thread safety: set it while no other thread sets it.
public var uncheckedUseMainSerialExecutor: Bool {
  get { EnqueueHook.address?.pointee != nil }
  set {
    guard let address = EnqueueHook.address else {
      reportIssue("This Swift runtime has no 'swift_task_enqueueGlobal_hook'.")
      return
    }
    address.pointee = newValue ? { job, _ in MainActor.shared.enqueue(job) } : nil
  }
}

/// The runtime's variable that is called, if it is set, in place of its own scheduling of a job.
private enum EnqueueHook {
  typealias Original = @convention(thin) (UnownedJob) -> Void
  typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  // Right, because the address never changes; what it points at is the runtime's to read.
  nonisolated(unsafe) static let address: UnsafeMutablePointer<Hook?>? =
    dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook")?
    .assumingMemoryBound(to: Hook?.self)
}
#endif

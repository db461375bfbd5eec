#if !PointFreeDependencies
import Glibc

/// Runs an operation with all tasks of the process on the main thread, one after another.
///
/// Tasks run in the order in which they start, which makes concurrent code deterministic. Use
/// this function only in tests that run alone, because it affects every task of the process.
///
/// - Throws: the operation's error.
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
/// Wrap `invokeTest()` of an XCTest case in this function.
///
/// - Throws: the operation's error.
public func withMainSerialExecutor(
  @_implicitSelfCapture operation: () throws -> Void
) rethrows {
  let wasUsed = uncheckedUseMainSerialExecutor
  defer { uncheckedUseMainSerialExecutor = wasUsed }
  uncheckedUseMainSerialExecutor = true
  try operation()
}

/// Whether all tasks of the process run on the main thread.
///
/// `withMainSerialExecutor` restores this setting. If the Swift runtime has no hook for it,
/// changing the setting reports an issue.
///
/// Thread safety: no two threads may change this setting at the same time.
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

/// The Swift runtime's hook that can replace how jobs are enqueued.
private enum EnqueueHook {
  typealias Original = @convention(thin) (UnownedJob) -> Void
  typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  // Safe, because the address never changes.
  nonisolated(unsafe) static let address: UnsafeMutablePointer<Hook?>? =
    dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook")?
    .assumingMemoryBound(to: Hook?.self)
}
#endif

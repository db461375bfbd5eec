#if !PointFreeDependencies
/// The test that an issue belongs to, also when it is reported where that test's task is not
/// running.
///
/// Swift Testing knows the current test by task-locals, which detached tasks, Dispatch queues and
/// threads of C libraries do not have: what is reported there is lost. A closure that may be called
/// there captures the origin while it is made in the test:
///
/// ```swift
/// var record: @Sendable (_ url: URL) async throws -> Void = { [origin = IssueOrigin.current] _ in
///   throw reportUnimplemented("MicrophoneClient.record", from: origin)
/// }
/// ```
///
/// Outside test processes, and under XCTest, which needs no such help, an origin is empty.
///
/// Thread safety: an origin can be used on every thread, by several at once.
public struct IssueOrigin: Sendable {
  /// What a thread without a test was given by whoever escaped to it.
  @TaskLocal private static var escaped = IssueOrigin()

  private let suspended: SuspendedTest?

  private init(_ suspended: SuspendedTest) {
    self.suspended = suspended
  }

  /// An origin that names no test: issues are reported as `reportIssue` does.
  public init() {
    suspended = nil
  }

  /// The test that is running in the current task.
  @inlinable
  public static var current: IssueOrigin {
    isTesting ? inTestProcess : IssueOrigin()
  }

  @usableFromInline
  static var inTestProcess: IssueOrigin {
    guard let test = TestFramework.current.currentTest() else { return escaped }
    return IssueOrigin(taken(in: test))
  }

  /// The same for a wrapper, which does not take an origin of its own where its test has many.
  static var ofWrapper: IssueOrigin {
    guard let test = TestFramework.current.currentTest() else { return escaped }
    return IssueOrigin(RunningTests.shared.origin(sharedBy: test) ?? taken(in: test))
  }

  private static func taken(in test: RunningTest) -> SuspendedTest {
    let suspended = SuspendedTest(in: test)
    // What a cache keeps says nothing about whether the test still runs.
    if !Construction.isRunning { RunningTests.shared.add(suspended) }
    return suspended
  }

  /// Reports an issue to the test that it belongs to.
  ///
  /// If the current task belongs to a test, that test is meant, whatever the origin is. The issue
  /// is recorded when the call returns.
  public func reportIssue(
    _ message: String,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    perform {
      IssueReporting.reportIssue(
        message, fileID: fileID, filePath: filePath, line: line, column: column)
    }
  }
}

extension IssueOrigin {
  /// The test, or nil for an empty origin.
  var test: RunningTest? { suspended?.test }

  /// What origins that share a waiting task have in common.
  var id: ObjectIdentifier? { suspended.map(ObjectIdentifier.init) }

  /// The origin of the scope around, which escaped from its test.
  static var ofEscapedScope: IssueOrigin { escaped }

  /// This origin, or another one where this one is empty.
  func or(_ other: IssueOrigin) -> IssueOrigin {
    suspended == nil ? other : self
  }

  /// Runs a report where the test framework sees the origin's test.
  func perform(_ report: @escaping @Sendable () -> Void) {
    guard let suspended, TestFramework.current.currentTest() == nil else { return report() }
    suspended.perform(report)
  }

  /// Runs an operation that escaped from its test, so that what it reads and reports belongs to
  /// that test.
  func withScope<R>(_ operation: () throws -> R) rethrows -> R {
    if suspended == nil { return try operation() }
    return try Self.$escaped.withValue(self, operation: operation)
  }

  /// Runs an asynchronous operation that escaped from its test; see the synchronous function.
  nonisolated(nonsending) func withScope<R>(
    _ operation: nonisolated(nonsending) () async throws -> R
  ) async rethrows -> R {
    if suspended == nil { return try await operation() }
    return try await Self.$escaped.withValue(self, operation: operation)
  }
}
#endif

#if !PointFreeDependencies
import IssueReporting

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
  /// The origin that an escaped scope gave to a thread without a test.
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
    // A cached value does not show whether the test still runs.
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

/// How clients that a macro made learn where their unimplemented endpoints report.
///
/// It is kept by the client's type. A protocol would be simpler; but Swift lets no macro add a
/// conformance to a type that is declared in a function, as clients in tests are.
private final class OriginatingClients: Sendable {
  static let shared = OriginatingClients()

  private struct Setter<Client>: Sendable {
    let set: @Sendable (inout Client, IssueOrigin) -> Void
  }
  // Held for one look-up or change of the dictionary. Its values release nothing.
  private let setters = Lock<[ObjectIdentifier: any Sendable]>([:])

  func register<Client>(_ set: @escaping @Sendable (inout Client, IssueOrigin) -> Void) {
    setters.withLock { setters in
      if setters[ObjectIdentifier(Client.self)] == nil {
        setters[ObjectIdentifier(Client.self)] = Setter(set: set)
      }
    }
  }

  /// A copy of a client that reports to `origin`; or the value itself, if no macro made it.
  func value<Value>(_ value: Value, reportingTo origin: @autoclosure () -> IssueOrigin) -> Value {
    let setter = setters.withLock { $0[ObjectIdentifier(Value.self)] }
    guard let setter = setter as? Setter<Value> else { return value }
    let origin = origin()
    guard origin.test != nil else { return value }
    var value = value
    setter.set(&value, origin)
    return value
  }
}

extension IssueOrigin {
  /// The current origin, for a client that a macro made; only its expansions use this.
  ///
  /// - Parameter set: Puts another origin into a client: `DependencyValues` does that with each
  ///   client that it hands out in a test.
  public static func _current<Client>(
    _ set: @escaping @Sendable (inout Client, IssueOrigin) -> Void
  ) -> IssueOrigin {
    guard isTesting else { return IssueOrigin() }
    OriginatingClients.shared.register(set)
    return .current
  }
}

extension DependencyValues {
  /// A value as it is handed out to who reads it in a test process.
  @usableFromInline
  func originating<Value>(_ value: Value) -> Value {
    OriginatingClients.shared.value(
      value, reportingTo: .current.or(scope.origin))
  }
}

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

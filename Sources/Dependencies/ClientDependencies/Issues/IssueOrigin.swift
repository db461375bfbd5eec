#if !PointFreeDependencies
/// The test that an issue belongs to, for issues that are reported outside the test's task.
///
/// Swift Testing identifies the current test by task-locals. Detached tasks, Dispatch queues, and
/// threads of C libraries lack these task-locals, so their issues are lost. A value for such code
/// captures the origin when the test creates the value, as `unimplemented(endpoint:)` does:
///
/// ```swift
/// struct UnimplementedVoice: Voice {
///   private let origin = IssueOrigin.current
///
///   func say(_ text: String) async throws {
///     throw reportUnimplemented("Voice.say", from: origin)
///   }
/// }
/// ```
///
/// An origin is empty outside test processes, and under XCTest, which needs no origins.
///
/// Thread safety: any number of threads may use an origin.
public struct IssueOrigin: Sendable {
  /// The origin that the enclosing `withScope` has set, for threads without the test's task-locals.
  @TaskLocal private static var escaped = IssueOrigin()

  private let suspended: SuspendedTest?

  private init(_ suspended: SuspendedTest) {
    self.suspended = suspended
  }

  /// Creates an origin without a test, which reports issues like `reportIssue`.
  public init() {
    suspended = nil
  }

  /// Runs an operation outside the scope that the enclosing `withScope` has set.
  static func withoutScope<Result>(_ operation: () throws -> Result) rethrows -> Result {
    try $escaped.withValue(IssueOrigin(), operation: operation)
  }

  /// The test that the calling code belongs to; empty if there is none.
  public static var current: IssueOrigin {
    guard isTesting else { return IssueOrigin() }
    guard let test = TestFramework.current?.currentTest() else { return escaped }
    return IssueOrigin(taken(in: test))
  }

  /// The running test, for a new `@Dependency` wrapper.
  ///
  /// In a test with many origins, all new wrappers share the oldest origin.
  static var ofWrapper: IssueOrigin {
    guard let test = TestFramework.current?.currentTest() else { return escaped }
    return IssueOrigin(RunningTests.shared.origin(sharedBy: test) ?? taken(in: test))
  }

  private static func taken(in test: RunningTest) -> SuspendedTest {
    let suspended = SuspendedTest(in: test)
    // A cached value may outlive the test, so an origin that it captures does not prove that the
    // test still runs.
    if !Construction.isRunning { RunningTests.shared.add(suspended) }
    return suspended
  }

  /// Reports an issue that belongs to the origin's test.
  ///
  /// If the current task belongs to a test, the issue belongs to that test instead. The issue is
  /// recorded before the call returns.
  public func reportIssue(
    _ message: String,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    perform {
      ClientDependencies.reportIssue(
        message, fileID: fileID, filePath: filePath, line: line, column: column)
    }
  }
}

extension IssueOrigin {
  func reportIssue(_ message: String, at location: SourceLocation) {
    reportIssue(
      message, fileID: location.fileID, filePath: location.filePath, line: location.line,
      column: location.column)
  }

  /// The test, or nil for an empty origin.
  var test: RunningTest? { suspended?.test }

  /// The identity of the origin's waiting task, which several origins may share.
  var id: ObjectIdentifier? { suspended.map(ObjectIdentifier.init) }

  /// The origin that the enclosing `withScope` has set; empty if there is none.
  static var ofEscapedScope: IssueOrigin { escaped }

  /// Returns this origin, or `other` if this origin is empty.
  func or(_ other: IssueOrigin) -> IssueOrigin {
    suspended == nil ? other : self
  }

  /// Runs a report with the task-locals of the origin's test.
  func perform(_ report: @escaping @Sendable () -> Void) {
    guard let suspended, TestFramework.current?.currentTest() == nil else { return report() }
    suspended.perform(report)
  }

  /// Runs an operation whose dependency reads and issues belong to the origin's test.
  ///
  /// Escaping closures call this function.
  func withScope<R>(_ operation: () throws -> R) rethrows -> R {
    if suspended == nil { return try operation() }
    return try Self.$escaped.withValue(self, operation: operation)
  }

  /// Runs an asynchronous operation whose dependency reads and issues belong to the origin's test.
  nonisolated(nonsending) func withScope<R>(
    _ operation: nonisolated(nonsending) () async throws -> R
  ) async rethrows -> R {
    if suspended == nil { return try await operation() }
    return try await Self.$escaped.withValue(self, operation: operation)
  }
}

/// Sets the test that gets the issues of unimplemented endpoints, in clients that use the macro.
///
/// The setters are stored by client type. A protocol would be simpler, but a macro cannot add a
/// conformance to a type in a function, such as clients in tests.
private final class OriginatingClients: Sendable {
  static let shared = OriginatingClients()

  private struct Setter<Client>: Sendable {
    let set: @Sendable (inout Client, IssueOrigin) -> Void
  }
  // The lock is held for one lookup or insertion, which runs no other code.
  private let setters = Lock<[ObjectIdentifier: any Sendable]>([:])

  func register<Client>(_ set: @escaping @Sendable (inout Client, IssueOrigin) -> Void) {
    setters.withLock { setters in
      if setters[ObjectIdentifier(Client.self)] == nil {
        setters[ObjectIdentifier(Client.self)] = Setter(set: set)
      }
    }
  }

  /// Returns a copy of a client that reports its issues to `origin`.
  ///
  /// A value that is not a `@DependencyClient` is returned unchanged.
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
  /// The current origin, for expansions of the macro.
  ///
  /// - Parameter set: sets the origin of a client; `DependencyValues` calls it for each client that
  ///   is read in a test.
  public static func _current<Client>(
    _ set: @escaping @Sendable (inout Client, IssueOrigin) -> Void
  ) -> IssueOrigin {
    guard isTesting else { return IssueOrigin() }
    OriginatingClients.shared.register(set)
    return .current
  }
}

extension DependencyValues {
  /// Returns the value; a client is copied, so that its issues are reported to the reader's test.
  func originating<Value>(_ value: Value) -> Value {
    OriginatingClients.shared.value(
      value, reportingTo: .current.or(scope.origin))
  }
}

/// Runs each job immediately on the enqueuing thread.
///
/// Use it for tasks that mostly wait: when a call resumes such a task, the task's work is done
/// before the call returns.
final class InlineExecutor: TaskExecutor {
  static let shared = InlineExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    job.runSynchronously(on: asUnownedTaskExecutor())
  }
}

/// A source location, for issues.
struct SourceLocation: Sendable {
  var fileID: StaticString
  var filePath: StaticString
  var line: UInt
  var column: UInt
}
#endif

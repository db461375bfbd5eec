#if !PointFreeDependencies
/// The test that an issue belongs to, for issues that are reported outside the test's task.
///
/// Swift Testing identifies the current test by task-locals, which detached tasks, Dispatch queues,
/// and threads of C libraries do not have, so their issues are lost. A value that may be called in
/// such places captures the origin when it is created in the test, like `unimplemented(endpoint:)`:
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
/// Outside test processes, and under XCTest, which does not need it, an origin is empty.
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

  /// Identifies origins that share a waiting task.
  var id: ObjectIdentifier? { suspended.map(ObjectIdentifier.init) }

  /// The origin that the enclosing `withScope` has set; empty if there is none.
  static var ofEscapedScope: IssueOrigin { escaped }

  /// Returns this origin, or the other origin if this one is empty.
  func or(_ other: IssueOrigin) -> IssueOrigin {
    suspended == nil ? other : self
  }

  /// Runs a report with the task-locals of the origin's test.
  func perform(_ report: @escaping @Sendable () -> Void) {
    guard let suspended, TestFramework.current?.currentTest() == nil else { return report() }
    suspended.perform(report)
  }

  /// Runs the operation of an escaping closure, so that its reads and issues belong to the origin's
  /// test.
  func withScope<R>(_ operation: () throws -> R) rethrows -> R {
    if suspended == nil { return try operation() }
    return try Self.$escaped.withValue(self, operation: operation)
  }

  /// Runs the asynchronous operation of an escaping closure, as the synchronous function does.
  nonisolated(nonsending) func withScope<R>(
    _ operation: nonisolated(nonsending) () async throws -> R
  ) async rethrows -> R {
    if suspended == nil { return try await operation() }
    return try await Self.$escaped.withValue(self, operation: operation)
  }
}

/// Sets the origin for unimplemented endpoints of clients that use the macro.
///
/// The setters are stored by client type. A protocol would be simpler, but a macro cannot add a
/// conformance to a type in a function, such as clients in tests.
private final class OriginatingClients: Sendable {
  static let shared = OriginatingClients()

  private struct Setter<Client>: Sendable {
    let set: @Sendable (inout Client, IssueOrigin) -> Void
  }
  // The lock is held for one lookup or change of the dictionary. Releasing its values runs no other
  // code.
  private let setters = Lock<[ObjectIdentifier: any Sendable]>([:])

  func register<Client>(_ set: @escaping @Sendable (inout Client, IssueOrigin) -> Void) {
    setters.withLock { setters in
      if setters[ObjectIdentifier(Client.self)] == nil {
        setters[ObjectIdentifier(Client.self)] = Setter(set: set)
      }
    }
  }

  /// Returns a copy of a client that reports to `origin`, or the value itself if it does not use
  /// the macro.
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
  /// Returns the value, or a copy of a client that reports its issues to the reader's test.
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

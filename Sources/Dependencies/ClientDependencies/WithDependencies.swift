#if !PointFreeDependencies
/// Runs an operation with some dependencies overridden.
///
/// ```swift
/// let isClipping = withDependencies {
///   $0.microphone.level = { 0.3 }
/// } operation: {
///   LevelMeter().isClipping
/// }
/// ```
///
/// Child tasks of the operation see the overrides; detached tasks and other threads do not. An
/// object that the operation returns keeps them for `withDependencies(from:)`.
///
/// - Parameters:
///   - updateValuesForOperation: changes the current values for the operation.
///   - operation: runs with the changed values.
/// - Returns: the operation's result; rethrows the error of either closure.
@discardableResult
public func withDependencies<R>(
  _ updateValuesForOperation: (inout DependencyValues) throws -> Void,
  operation: () throws -> R
) rethrows -> R {
  try run(with: ._current, updateValuesForOperation, operation)
}

/// Runs an asynchronous operation with some dependencies overridden.
///
/// Both closures may be asynchronous, and run on the caller's actor.
///
/// - Parameters:
///   - updateValuesForOperation: changes the current values for the operation.
///   - operation: runs with the changed values.
/// - Returns: the operation's result; rethrows the error of either closure.
@discardableResult
public nonisolated(nonsending) func withDependencies<R>(
  _ updateValuesForOperation:
    nonisolated(nonsending) (inout DependencyValues) async throws -> Void,
  operation: nonisolated(nonsending) () async throws -> R
) async rethrows -> R {
  try await run(with: ._current, updateValuesForOperation, operation)
}

/// Updates values and runs the operation with them.
///
/// In a test process, a second task-local value marks reads in the update closure, so that they are
/// not reported as uses. Other processes omit this second value, because it would double the cost
/// of a scope.
///
/// The function is inlined, because a call would add a tenth to the cost of a scope.
@inline(__always)
func run<R>(
  with current: consuming DependencyValues,
  _ update: (inout DependencyValues) throws -> Void,
  _ operation: () throws -> R
) rethrows -> R {
  var values = current
  values.setPurpose(.update)
  if isTesting {
    try DependencyValues.$_current.withValue(.current(for: .update)) { try update(&values) }
  } else {
    try update(&values)
  }
  values.setPurpose(.use)
  let result = try DependencyValues.$_current.withValue(values, operation: operation)
  ObjectScopes.remember(result, madeIn: values)
  return result
}

/// Updates values and runs the asynchronous operation with them, on the caller's actor.
@inline(__always)
nonisolated(nonsending) func run<R>(
  with current: consuming DependencyValues,
  _ update: nonisolated(nonsending) (inout DependencyValues) async throws -> Void,
  _ operation: nonisolated(nonsending) () async throws -> R
) async rethrows -> R {
  var values = current
  values.setPurpose(.update)
  if isTesting {
    try await DependencyValues.$_current.withValue(.current(for: .update)) {
      try await update(&values)
    }
  } else {
    try await update(&values)
  }
  values.setPurpose(.use)
  let result = try await DependencyValues.$_current.withValue(values, operation: operation)
  ObjectScopes.remember(result, madeIn: values)
  return result
}

/// Runs an operation with the dependencies of a model, so that objects that the operation creates
/// see the model's overrides.
///
/// The model has dependencies if it has a `@Dependency` or `withDependencies` returned it.
/// Otherwise an issue is reported and the operation runs with the current values. Current overrides
/// take precedence over the model's.
///
/// - Returns: the operation's result; rethrows its error.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
  from model: Model,
  operation: () throws -> R,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column
) rethrows -> R {
  try withDependencies(
    from: model, { _ in }, operation: operation, fileID: fileID, filePath: filePath, line: line,
    column: column)
}

/// Runs an operation with the dependencies of a model, some of them overridden.
///
/// - Parameters:
///   - model: an object with a `@Dependency`, or an object that `withDependencies` returned.
///   - updateValuesForOperation: changes the model's values for the operation.
///   - operation: runs with the changed values.
/// - Returns: the operation's result; rethrows the error of either closure.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
  from model: Model,
  _ updateValuesForOperation: (inout DependencyValues) throws -> Void,
  operation: () throws -> R,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column
) rethrows -> R {
  let location = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return try run(with: values(of: model, at: location), updateValuesForOperation, operation)
}

/// Runs an asynchronous operation with the dependencies of a model.
///
/// - Returns: the operation's result; rethrows its error.
@discardableResult
public nonisolated(nonsending) func withDependencies<Model: AnyObject, R>(
  from model: Model,
  operation: nonisolated(nonsending) () async throws -> R,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column
) async rethrows -> R {
  try await withDependencies(
    from: model, { _ in }, operation: operation, fileID: fileID, filePath: filePath, line: line,
    column: column)
}

/// Runs an asynchronous operation with the dependencies of a model, some of them overridden.
///
/// - Parameters:
///   - model: an object with a `@Dependency`, or an object that `withDependencies` returned.
///   - updateValuesForOperation: changes the model's values for the operation.
///   - operation: runs with the changed values.
/// - Returns: the operation's result; rethrows the error of either closure.
@discardableResult
public nonisolated(nonsending) func withDependencies<Model: AnyObject, R>(
  from model: Model,
  _ updateValuesForOperation:
    nonisolated(nonsending) (inout DependencyValues) async throws -> Void,
  operation: nonisolated(nonsending) () async throws -> R,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column
) async rethrows -> R {
  let location = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return try await run(
    with: values(of: model, at: location), updateValuesForOperation, operation)
}

private func values(of model: some AnyObject, at location: SourceLocation) -> DependencyValues {
  var scope = DependencyValues._current.scope
  guard let carried = ObjectScopes.scope(of: model) else {
    reportIssue(
      """
      There are no dependencies to carry over from '\(type(of: model))': the current ones are used. \
      Give it a '@Dependency' property, or make it inside 'withDependencies'.
      """,
      fileID: location.fileID, filePath: location.filePath, line: location.line,
      column: location.column)
    return DependencyValues(scope: scope)
  }
  _ = scope.merge(over: carried)
  return DependencyValues(scope: scope)
}

/// Runs an operation that passes the current dependencies to escaping closures.
///
/// Child tasks see the overrides of their scope. Dispatch queues, detached tasks, and threads of C
/// libraries do not:
///
/// ```swift
/// withEscapedDependencies { dependencies in
///   queue.async {
///     dependencies.yield {
///       report(LevelMeter().isClipping)
///     }
///   }
/// }
/// ```
///
/// In a test, the closure's reads and issues belong to that test.
///
/// - Returns: the operation's result; rethrows its error.
public func withEscapedDependencies<R>(
  _ operation: (DependencyValues.Continuation) throws -> R
) rethrows -> R {
  try operation(DependencyValues.Continuation())
}

/// Runs an asynchronous operation that passes the current dependencies to escaping closures.
///
/// - Returns: the operation's result; rethrows its error.
public nonisolated(nonsending) func withEscapedDependencies<R>(
  _ operation: nonisolated(nonsending) (DependencyValues.Continuation) async throws -> R
) async rethrows -> R {
  try await operation(DependencyValues.Continuation())
}

extension DependencyValues {
  /// The dependencies and the test of a scope, for escaping closures.
  ///
  /// Thread safety: any number of threads may use it, any number of times.
  public struct Continuation: Sendable {
    private let values = DependencyValues._current
    private let origin = IssueOrigin.current

    init() {}

    /// Runs an operation with the dependencies of the scope in which the continuation was created.
    ///
    /// Overrides around the call have no effect; override inside the operation.
    ///
    /// - Returns: the operation's result; rethrows its error.
    public func yield<R>(_ operation: () throws -> R) rethrows -> R {
      try origin.withScope { try run(with: values, { _ in }, operation) }
    }

    /// Runs an asynchronous operation with the dependencies of the scope in which the continuation
    /// was created.
    ///
    /// - Returns: the operation's result; rethrows its error.
    public nonisolated(nonsending) func yield<R>(
      _ operation: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R {
      try await origin.withScope {
        try await run(with: values, { _ in }, operation)
      }
    }
  }
}
#endif

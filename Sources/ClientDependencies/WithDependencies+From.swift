#if !PointFreeDependencies
/// Runs an operation with the dependencies of a model, so that what it makes sees the model's
/// overrides.
///
/// The model carries them if it holds a `@Dependency` or came out of `withDependencies`; otherwise
/// an issue is reported and the operation runs with the current values. Current overrides win over
/// the model's.
///
/// - Returns: what the operation returns; throws what it throws.
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
///   - model: an object that holds a `@Dependency` or came out of `withDependencies`.
///   - updateValuesForOperation: changes the model's values for the operation.
///   - operation: what runs with them.
/// - Returns: what the operation returns; throws what either closure throws.
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
/// - Returns: what the operation returns; throws what it throws.
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
///   - model: an object that holds a `@Dependency` or came out of `withDependencies`.
///   - updateValuesForOperation: changes the model's values for the operation.
///   - operation: what runs with them.
/// - Returns: what the operation returns; throws what either closure throws.
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
  let current = DependencyValues.currentScope
  guard let carried = ModelScopes.scope(of: model) else {
    reportIssue(
      """
      There are no dependencies to carry over from '\(type(of: model))': the current ones are used. \
      Give it a '@Dependency' property, or make it inside 'withDependencies'.
      """,
      fileID: location.fileID, filePath: location.filePath, line: location.line,
      column: location.column)
    return DependencyValues(scope: current)
  }
  return DependencyValues(scope: current.merged(over: carried))
}
#endif

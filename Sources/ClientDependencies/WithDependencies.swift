/// Runs an operation with some dependencies overridden.
///
/// ```swift
/// try withDependencies {
///   $0.audioPlayer.play = { _ in }
/// } operation: {
///   try feature.run()
/// }
/// ```
///
/// Child tasks of the operation see the overrides as well; detached tasks and other threads do not.
/// An object that the operation returns remembers them, for `withDependencies(from:)`.
///
/// - Parameters:
///   - updateValuesForOperation: changes the current values for the operation.
///   - operation: what runs with them.
/// - Returns: what the operation returns; throws what either closure throws.
@inlinable
@discardableResult
public func withDependencies<R>(
  _ updateValuesForOperation: (inout DependencyValues) throws -> Void,
  operation: () throws -> R
) rethrows -> R {
  try run(in: DependencyValues._current.scope, updateValuesForOperation, operation)
}

/// Runs an asynchronous operation with some dependencies overridden.
///
/// Like the synchronous function; the update may be asynchronous as well.
///
/// - Parameters:
///   - isolation: the actor on which both closures run, by default the caller's.
///   - updateValuesForOperation: changes the current values for the operation.
///   - operation: what runs with them.
/// - Returns: what the operation returns; throws what either closure throws.
@inlinable
@discardableResult
public func withDependencies<R>(
  isolation: isolated (any Actor)? = #isolation,
  _ updateValuesForOperation: (inout DependencyValues) async throws -> Void,
  operation: () async throws -> R
) async rethrows -> R {
  try await run(
    in: DependencyValues._current.scope, isolation: isolation, updateValuesForOperation, operation)
}

/// Updates the values of a scope and runs the operation with them.
@inlinable
func run<R>(
  in scope: Scope,
  _ update: (inout DependencyValues) throws -> Void,
  _ operation: () throws -> R
) rethrows -> R {
  var values = DependencyValues.updating(scope)
  try update(&values)
  return try DependencyValues.$_current.withValue(values.inUse) {
    let result = try operation()
    ModelScopes.remember(result)
    return result
  }
}

/// Updates the values of a scope and runs the asynchronous operation with them, on the caller's
/// actor.
@inlinable
func run<R>(
  in scope: Scope,
  isolation: isolated (any Actor)?,
  _ update: (inout DependencyValues) async throws -> Void,
  _ operation: () async throws -> R
) async rethrows -> R {
  var values = DependencyValues.updating(scope)
  try await update(&values)
  return try await DependencyValues.$_current.withValue(
    values.inUse,
    operation: {
      let result = try await operation()
      ModelScopes.remember(result)
      return result
    }, isolation: isolation)
}

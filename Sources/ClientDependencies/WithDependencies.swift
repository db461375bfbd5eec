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
  try run(with: .current, updateValuesForOperation, operation)
}

/// Runs an asynchronous operation with some dependencies overridden.
///
/// Like the synchronous function; the update may be asynchronous as well. Both closures run on the
/// caller's actor.
///
/// - Parameters:
///   - updateValuesForOperation: changes the current values for the operation.
///   - operation: what runs with them.
/// - Returns: what the operation returns; throws what either closure throws.
@inlinable
@discardableResult
public nonisolated(nonsending) func withDependencies<R>(
  _ updateValuesForOperation:
    nonisolated(nonsending) (inout DependencyValues) async throws -> Void,
  operation: nonisolated(nonsending) () async throws -> R
) async rethrows -> R {
  try await run(with: .current, updateValuesForOperation, operation)
}

/// Updates values and runs the operation with them.
///
/// In a test process all that the update closure runs knows that it only updates: what it reads is no
/// use which deserves an issue. Elsewhere a second task-local value would double the costs of a scope.
@inlinable
func run<R>(
  with current: consuming DependencyValues,
  _ update: (inout DependencyValues) throws -> Void,
  _ operation: () throws -> R
) rethrows -> R {
  var values = current
  values.be(for: .update)
  if isTesting {
    try DependencyValues.$_current.withValue(.current(for: .update)) { try update(&values) }
  } else {
    try update(&values)
  }
  values.be(for: .use)
  let result = try DependencyValues.$_current.withValue(values, operation: operation)
  ModelScopes.remember(result, madeIn: values)
  return result
}

/// Updates values and runs the asynchronous operation with them, on the caller's actor.
@inlinable
nonisolated(nonsending) func run<R>(
  with current: consuming DependencyValues,
  _ update: nonisolated(nonsending) (inout DependencyValues) async throws -> Void,
  _ operation: nonisolated(nonsending) () async throws -> R
) async rethrows -> R {
  var values = current
  values.be(for: .update)
  if isTesting {
    try await DependencyValues.$_current.withValue(.current(for: .update)) {
      try await update(&values)
    }
  } else {
    try await update(&values)
  }
  values.be(for: .use)
  let result = try await DependencyValues.$_current.withValue(values, operation: operation)
  ModelScopes.remember(result, madeIn: values)
  return result
}
#endif

/// Runs an operation with values overridden.
@discardableResult
public func withDependencies<R>(
  _ updateValuesForOperation: (inout DependencyValues) throws -> Void,
  operation: () throws -> R
) rethrows -> R {
  var values = DependencyValues._current
  try updateValuesForOperation(&values)
  return try DependencyValues.$_current.withValue(values, operation: operation)
}

/// Runs an asynchronous operation with values overridden.
@discardableResult
public nonisolated(nonsending) func withDependencies<R>(
  _ updateValuesForOperation:
    nonisolated(nonsending) (inout DependencyValues) async throws -> Void,
  operation: nonisolated(nonsending) () async throws -> R
) async rethrows -> R {
  var values = DependencyValues._current
  try await updateValuesForOperation(&values)
  return try await DependencyValues.$_current.withValue(values, operation: operation)
}

/// Hands the current values to closures that escape.
public func withEscapedDependencies<R>(
  _ operation: (DependencyValues.Continuation) throws -> R
) rethrows -> R {
  try operation(DependencyValues.Continuation())
}

/// Hands the current values to closures that escape.
public nonisolated(nonsending) func withEscapedDependencies<R>(
  _ operation: nonisolated(nonsending) (DependencyValues.Continuation) async throws -> R
) async rethrows -> R {
  try await operation(DependencyValues.Continuation())
}

extension DependencyValues {
  /// The current values, captured for closures that escape.
  public struct Continuation: Sendable {
    private let values = DependencyValues._current

    /// Runs an operation with the values.
    public func yield<R>(_ operation: () throws -> R) rethrows -> R {
      try DependencyValues.$_current.withValue(values, operation: operation)
    }

    /// Runs an asynchronous operation with the values.
    public nonisolated(nonsending) func yield<R>(
      _ operation: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R {
      try await DependencyValues.$_current.withValue(values, operation: operation)
    }
  }
}

#if !PointFreeDependencies
/// Runs an operation that hands the current dependencies on to closures which outlive it.
///
/// Child tasks see the overrides of their scope; Dispatch queues, detached tasks and threads of C
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
/// In a test, what the closure reads and reports belongs to that test.
///
/// - Returns: what the operation returns; throws what it throws.
@inlinable
public func withEscapedDependencies<R>(
  _ operation: (DependencyValues.Continuation) throws -> R
) rethrows -> R {
  try operation(DependencyValues.Continuation())
}

/// Runs an asynchronous operation that hands the current dependencies on to closures which outlive
/// it.
///
/// - Returns: what the operation returns; throws what it throws.
@inlinable
public nonisolated(nonsending) func withEscapedDependencies<R>(
  _ operation: nonisolated(nonsending) (DependencyValues.Continuation) async throws -> R
) async rethrows -> R {
  try await operation(DependencyValues.Continuation())
}

extension DependencyValues {
  /// The dependencies of a scope, and its test, for closures that run elsewhere.
  ///
  /// Thread safety: it can be used on every thread, by several at once, and as often as needed.
  public struct Continuation: Sendable {
    private let values = DependencyValues._current
    private let origin = IssueOrigin.current

    @usableFromInline
    init() {}

    /// Runs an operation with the dependencies of the scope that the continuation comes from.
    ///
    /// Overrides around the call do not count; make those inside.
    ///
    /// - Returns: what the operation returns; throws what it throws.
    public func yield<R>(_ operation: () throws -> R) rethrows -> R {
      try origin.withScope { try run(with: values, { _ in }, operation) }
    }

    /// Runs an asynchronous operation with the dependencies of the scope that the continuation
    /// comes from.
    ///
    /// - Returns: what the operation returns; throws what it throws.
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

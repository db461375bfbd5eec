/// The scope in which a live client was created; calls of its endpoints run in it.
///
/// Overrides around a call take precedence over the captured overrides, as for a stored
/// `@Dependency`. A cached client captures no overrides, because it is shared by all readers.
package struct CreationScope: Sendable {
  @Dependency(\.self) private var values

  /// Captures the current scope.
  package init() {}

  /// Runs a call in the current scope; the captured overrides apply where that scope has none.
  package func run<R>(_ call: () throws -> R) rethrows -> R {
    try withDependencies {
      $0 = values
    } operation: {
      try call()
    }
  }

  /// Runs an asynchronous call in the current scope; the captured overrides apply where that scope
  /// has none.
  package nonisolated(nonsending) func run<R: Sendable>(
    _ call: nonisolated(nonsending) () async throws -> R
  ) async rethrows -> R {
    try await withDependencies {
      $0 = values
    } operation: {
      try await call()
    }
  }
}

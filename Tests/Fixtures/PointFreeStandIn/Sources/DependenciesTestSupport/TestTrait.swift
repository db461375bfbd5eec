public import Dependencies
public import Testing

/// Overrides dependencies in a test.
public struct _DependenciesTrait: SuiteTrait, TestTrait, TestScoping {
  let updateValues: nonisolated(nonsending) @Sendable (inout DependencyValues) async throws -> Void

  /// Makes the trait apply to nested suites and their tests.
  public var isRecursive: Bool { true }

  /// Runs a test with the overrides.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withDependencies(updateValues, operation: function)
  }
}

extension Trait where Self == _DependenciesTrait {
  /// Overrides a dependency.
  public static func dependency<Value: Sendable>(
    _ keyPath: any WritableKeyPath<DependencyValues, Value> & Sendable, _ value: Value
  ) -> Self {
    Self { $0[keyPath: keyPath] = value }
  }

  /// Overrides dependencies.
  public static func dependencies(
    _ updateValues:
      nonisolated(nonsending) @escaping @Sendable (inout DependencyValues) async throws -> Void
  ) -> Self {
    Self(updateValues: updateValues)
  }
}

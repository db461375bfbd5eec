#if !PointFreeDependencies
import ClientDependencies
public import Testing

/// A trait that gives each test values of its own, some of them overridden.
///
/// Use it through `.dependencies`, `.dependencies { }` and `.dependency`.
public struct _DependenciesTrait: TestTrait, SuiteTrait, TestScoping {
  private let updateValues:
    nonisolated(nonsending) @Sendable (inout DependencyValues) async throws -> Void

  init(
    _ updateValues:
      nonisolated(nonsending) @escaping @Sendable (inout DependencyValues) async throws -> Void
  ) {
    self.updateValues = updateValues
  }

  /// On a suite, the trait applies to each of its tests and not once to all of them.
  public var isRecursive: Bool { true }

  /// Runs one test, or one case of it, with the overrides and a fresh cache.
  ///
  /// - Throws: what the update of the values and the test throw.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withDependencies {
      $0.startCache()
      try await updateValues(&$0)
    } operation: {
      try await function()
    }
  }
}
#endif

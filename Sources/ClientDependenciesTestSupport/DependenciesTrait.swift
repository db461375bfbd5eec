#if !PointFreeDependencies
public import ClientDependencies
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

extension Trait where Self == _DependenciesTrait {
  /// Gives each test, and each case of a parameterised one, values that no other test sees.
  ///
  /// On a suite it applies to each test in it. The values are released when the test ends.
  public static var dependencies: Self {
    Self { _ in }
  }

  /// Overrides dependencies in a test, or in each test of a suite.
  ///
  /// ```swift
  /// @Test(.dependencies { $0.continuousClock = ImmediateClock() })
  /// func `nothing waits on an immediate clock`() async throws {
  ///   @Dependency(\.continuousClock) var clock
  ///   try await clock.sleep(for: .seconds(3_600))
  /// }
  /// ```
  ///
  /// A test's own trait wins over that of its suite, and an inner suite's over an outer one's.
  public static func dependencies(
    _ updateValues:
      nonisolated(nonsending) @escaping @Sendable (inout DependencyValues) async throws -> Void
  ) -> Self {
    Self(updateValues)
  }

  /// Overrides one dependency, or a part of one, in a test or in each test of a suite.
  ///
  /// The value is made anew for each test.
  public static func dependency<Value>(
    _ keyPath: any WritableKeyPath<DependencyValues, Value> & Sendable,
    _ value: @autoclosure @escaping @Sendable () throws -> Value
  ) -> Self {
    Self { $0[keyPath: keyPath] = try value() }
  }

  /// Overrides a dependency whose type is its own key, in a test or in each test of a suite.
  ///
  /// The value is made anew for each test.
  public static func dependency<Value: TestDependencyKey>(
    _ value: @autoclosure @escaping @Sendable () throws -> Value
  ) -> Self where Value == Value.Value {
    Self { $0[Value.self] = try value() }
  }
}
#endif

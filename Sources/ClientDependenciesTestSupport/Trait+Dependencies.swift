#if !PointFreeDependencies
public import ClientDependencies
public import Testing

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
  /// func `on an immediate clock nobody waits`() async throws {
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

/// A dependency that tests can use.
public protocol TestDependencyKey<Value> {
  /// The type of the dependency.
  associatedtype Value: Sendable = Self

  /// The value in previews.
  static var previewValue: Value { get }

  /// The value in tests.
  static var testValue: Value { get }

  /// Whether a missing live value is reported.
  static var shouldReportUnimplemented: Bool { get }
}

/// A dependency with a live value.
public protocol DependencyKey<Value>: TestDependencyKey {
  /// The value in the program.
  static var liveValue: Value { get }

  /// The type of the dependency.
  associatedtype Value = Self

  /// The value in previews.
  static var previewValue: Value { get }

  /// The value in tests.
  static var testValue: Value { get }
}

extension TestDependencyKey {
  /// The test value.
  public static var previewValue: Value { testValue }

  /// True: a missing live value is reported.
  public static var shouldReportUnimplemented: Bool { true }
}

extension DependencyKey {
  /// The live value.
  public static var previewValue: Value { liveValue }

  /// The live value; reading it here reports an issue.
  public static var testValue: Value {
    reportIssue("\(Self.self) has no test value")
    return liveValue
  }
}

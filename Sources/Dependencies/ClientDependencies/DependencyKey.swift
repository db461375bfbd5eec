#if !PointFreeDependencies
/// A dependency with test and preview values, for an interface module.
///
/// Another module adds the live value by conforming the same type to ``DependencyKey``. A value is
/// created on the thread that first reads it, so a conformance cannot be isolated to an actor.
public protocol TestDependencyKey<Value>: SendableMetatype {
  /// The type of the value; by default the conforming type itself.
  associatedtype Value: Sendable = Self

  /// The value in previews; by default ``testValue``.
  static var previewValue: Value { get }

  /// The value in tests, ideally with endpoints that report an issue until a test overrides them.
  static var testValue: Value { get }

  /// Whether to report a test value that replaces a missing live value; by default true, except
  /// while an update closure changes a part of the value.
  ///
  /// A test value that reports its own issue checks this property first:
  /// `if shouldReportUnimplemented { reportIssue("This test has no database.") }`.
  static var shouldReportUnimplemented: Bool { get }
}

/// A dependency with a live value.
public protocol DependencyKey<Value>: TestDependencyKey {
  /// The value outside tests and previews, created once.
  static var liveValue: Value { get }

  /// The type of the value; by default the conforming type itself.
  associatedtype Value = Self

  /// The value in previews; by default ``liveValue``.
  static var previewValue: Value { get }

  /// The value in tests; by default ``previewValue``.
  ///
  /// Using the default in a test is reported as an issue. Changing the default in an update closure
  /// does not count as a use.
  static var testValue: Value { get }
}

extension TestDependencyKey {
  /// The test value.
  public static var previewValue: Value { testValue }

  /// False while a closure updates dependencies, otherwise true.
  public static var shouldReportUnimplemented: Bool { DependencyValues._current.isInUse }
}

extension DependencyKey {
  /// The live value.
  public static var previewValue: Value {
    Construction.noteLiveValue(of: Self.self)
    return liveValue
  }

  /// The preview value, by default the live value.
  ///
  /// A test that reads it gets an issue.
  public static var testValue: Value {
    Construction.noteMissingTestValue(of: Self.self)
    return previewValue
  }
}
#endif

#if !PointFreeDependencies
/// A dependency that tests and previews can use: what an interface module declares.
///
/// Another module adds the live value by conforming the same type to ``DependencyKey``. Values are
/// made on whichever thread asks first, so no conformance can be isolated to an actor.
public protocol TestDependencyKey<Value>: SendableMetatype {
  /// What is injected; by default the conforming type itself.
  associatedtype Value: Sendable = Self

  /// The value in previews; by default ``testValue``.
  static var previewValue: Value { get }

  /// The value in tests, best one whose endpoints report an issue until a test overrides them.
  static var testValue: Value { get }

  /// Whether using the test value in place of a missing live value is reported; by default it is,
  /// except while an update closure changes a part of it.
  ///
  /// A test value that reports an issue by itself asks first:
  /// `if shouldReportUnimplemented { reportIssue("This test has no database.") }`.
  static var shouldReportUnimplemented: Bool { get }
}

/// A dependency with a live value.
public protocol DependencyKey<Value>: TestDependencyKey {
  /// The value outside tests and previews, made once and kept.
  static var liveValue: Value { get }

  /// What is injected; by default the conforming type itself.
  associatedtype Value = Self

  /// The value in previews; by default ``liveValue``.
  static var previewValue: Value { get }

  /// The value in tests; by default ``previewValue``, which is the live one where nothing else is
  /// said, and every use of that in a test is reported as an issue; an update closure uses none.
  static var testValue: Value { get }
}

extension TestDependencyKey {
  /// The test value.
  public static var previewValue: Value { testValue }

  /// Missing live values are reported, except to an update closure.
  public static var shouldReportUnimplemented: Bool { DependencyValues.current.isInUse }
}

extension DependencyKey {
  /// The live value.
  public static var previewValue: Value {
    Construction.noteLiveValue(of: Self.self)
    return liveValue
  }

  /// The preview value, by default the live one; a test that reads it gets an issue.
  public static var testValue: Value {
    Construction.noteMissingTestValue(of: Self.self)
    return previewValue
  }
}
#endif

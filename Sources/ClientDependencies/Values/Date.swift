#if !PointFreeDependencies
public import Foundation

extension DependencyValues {
  /// The current date: `@Dependency(\.date.now) var now`.
  ///
  /// A test that asks it for a date gets an issue, unless it gives one: `$0.date.now = start`.
  public var date: DateGenerator {
    get {
      let date = self[DateGeneratorKey.self]
      // Swift asks for the date before it sets one through a key path, as a test's trait does.
      return isInUse ? date : date.withoutComplaint
    }
    set { self[DateGeneratorKey.self] = newValue }
  }
}

enum DateGeneratorKey: DependencyKey {
  static let liveValue = DateGenerator { Date() }
  static var testValue: DateGenerator {
    liveValue.withComplaint { [origin = IssueOrigin.current] in
      reportUnimplemented("@Dependency(\\.date)", from: origin)
    }
  }
}

/// A source of the current date.
public struct DateGenerator: Sendable {
  private var generate: @Sendable () -> Date
  /// What happens first, where a test has given no date.
  private var complain: (@Sendable () -> Void)?

  /// A generator that returns the dates of a closure.
  public init(_ generate: @escaping @Sendable () -> Date) {
    self.generate = generate
  }

  /// A generator that always returns the same date.
  public static func constant(_ now: Date) -> Self {
    Self { now }
  }

  /// The date; setting it makes the date a constant.
  public var now: Date {
    get { self() }
    set { self = .constant(newValue) }
  }

  /// Returns the current date.
  public func callAsFunction() -> Date {
    complain?()
    return generate()
  }

  func withComplaint(_ complain: @escaping @Sendable () -> Void) -> Self {
    var date = self
    date.complain = complain
    return date
  }

  var withoutComplaint: Self { Self(generate) }
}
#endif

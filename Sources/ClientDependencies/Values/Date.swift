public import Foundation

extension DependencyValues {
  /// What tells the date: `@Dependency(\.date.now) var now`.
  ///
  /// A test that asks it for a date gets an issue, unless it gives one: `$0.date.now = start`.
  public var date: DateGenerator {
    get { self[DateGeneratorKey.self] }
    set { self[DateGeneratorKey.self] = newValue }
  }
}

enum DateGeneratorKey: DependencyKey {
  static let liveValue = DateGenerator { Date() }
  static var testValue: DateGenerator {
    DateGenerator { [origin = IssueOrigin.current] in
      reportUnimplemented("@Dependency(\\.date)", from: origin)
      return Date()
    }
  }
}

/// What tells the date.
public struct DateGenerator: Sendable {
  private var generate: @Sendable () -> Date

  /// Tells what the closure returns.
  public init(_ generate: @escaping @Sendable () -> Date) {
    self.generate = generate
  }

  /// Tells the same date for ever.
  public static func constant(_ now: Date) -> Self {
    Self { now }
  }

  /// The date; setting it makes the date a constant.
  public var now: Date {
    get { generate() }
    set { generate = { newValue } }
  }

  /// Tells the date.
  public func callAsFunction() -> Date {
    generate()
  }
}

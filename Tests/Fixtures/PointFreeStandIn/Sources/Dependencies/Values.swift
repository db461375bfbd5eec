public import Foundation

extension DependencyValues {
  /// A clock that counts while the machine sleeps.
  public var continuousClock: any Clock<Duration> {
    get { self[ContinuousClockKey.self] }
    set { self[ContinuousClockKey.self] = newValue }
  }

  /// The current date, as `date.now`.
  public var date: DateGenerator {
    get { self[DateGeneratorKey.self] }
    set { self[DateGeneratorKey.self] = newValue }
  }
}

/// A source of the current date.
public struct DateGenerator: Sendable {
  /// The current date.
  public var now: Date { Date() }
}

private enum DateGeneratorKey: DependencyKey {
  static let liveValue = DateGenerator()
  static let testValue = DateGenerator()
}

private enum ContinuousClockKey: DependencyKey {
  static let liveValue: any Clock<Duration> = ContinuousClock()
  static let testValue: any Clock<Duration> = UnimplementedClock(name: "ContinuousClock")
}

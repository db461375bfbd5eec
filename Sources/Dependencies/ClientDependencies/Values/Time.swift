#if !PointFreeDependencies
public import Dispatch
public import FoundationEssentials

extension DependencyValues {
  /// The current date: `@Dependency(\.date.now) var now`.
  ///
  /// A test that reads the date without an override gets an issue. Override it with `$0.date.now =
  /// start`.
  public var date: DateGenerator {
    get {
      let date = self[DateGeneratorKey.self]
      // Setting `date.now` through a key path, as a test's trait does, first reads `date`; that
      // read must not be reported.
      return isInUse ? date : date.withoutComplaint
    }
    set { self[DateGeneratorKey.self] = newValue }
  }
}

enum DateGeneratorKey: DependencyKey {
  static let liveValue = DateGenerator { Date() }
  static var testValue: DateGenerator {
    var date = liveValue
    date.complain = { [origin = IssueOrigin.current] in
      reportUnimplemented("@Dependency(\\.date)", from: origin)
    }
    return date
  }
}

/// A source of the current date.
public struct DateGenerator: Sendable {
  private var generate: @Sendable () -> Date
  /// Reports that the test has not set a date; nil if there is nothing to report.
  fileprivate var complain: (@Sendable () -> Void)?

  /// Creates a generator that calls a closure for each date.
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

  var withoutComplaint: Self { Self(generate) }
}

extension DependencyValues {
  /// The user's calendar, which follows changes of the settings.
  ///
  /// A test that reads it without an override gets an issue.
  public var calendar: Calendar {
    get { self[CalendarKey.self] }
    set { self[CalendarKey.self] = newValue }
  }
}

enum CalendarKey: DependencyKey {
  static let liveValue = Calendar.autoupdatingCurrent
}

extension DependencyValues {
  /// The user's locale, which follows changes of the settings.
  ///
  /// A test that reads it without an override gets an issue.
  public var locale: Locale {
    get { self[LocaleKey.self] }
    set { self[LocaleKey.self] = newValue }
  }

  /// The locales of the user's preferred languages, the most preferred first.
  ///
  /// It follows changes of the settings. A test that reads it without an override gets an issue.
  public var preferredLocales: [Locale] {
    get { self[PreferredLocalesKey.self].locales }
    set { self[PreferredLocalesKey.self] = PreferredLocales(overridden: newValue) }
  }
}

enum LocaleKey: DependencyKey {
  static let liveValue = Locale.autoupdatingCurrent
}

enum PreferredLocalesKey: DependencyKey {
  static let liveValue = PreferredLocales(overridden: nil)
}

/// Reads the system's locales at each access unless they are overridden.
struct PreferredLocales: Sendable {
  var overridden: [Locale]?

  var locales: [Locale] {
    overridden ?? Locale.preferredLanguages.map(Locale.init(identifier:))
  }
}

extension DependencyValues {
  /// The user's time zone, which follows changes of the settings.
  ///
  /// A test that reads it without an override gets an issue.
  public var timeZone: TimeZone {
    get { self[TimeZoneKey.self] }
    set { self[TimeZoneKey.self] = newValue }
  }
}

enum TimeZoneKey: DependencyKey {
  static let liveValue = TimeZone.autoupdatingCurrent
}

extension DependencyValues {
  /// The clock for sleeping and measuring, which continues while the machine sleeps.
  ///
  /// In tests it is unimplemented: override it with an `ImmediateClock` or a `TestClock`.
  public var continuousClock: any Clock<Duration> {
    get { self[ContinuousClockKey.self] }
    set { self[ContinuousClockKey.self] = newValue }
  }
}

enum ContinuousClockKey: DependencyKey {
  static let liveValue: any Clock<Duration> = ContinuousClock()
  static var testValue: any Clock<Duration> { UnimplementedClock(name: "ContinuousClock") }
}

extension DependencyValues {
  /// The clock for sleeping and measuring, which stops while the machine sleeps.
  ///
  /// In tests it is unimplemented: override it with an `ImmediateClock` or a `TestClock`.
  public var suspendingClock: any Clock<Duration> {
    get { self[SuspendingClockKey.self] }
    set { self[SuspendingClockKey.self] = newValue }
  }
}

enum SuspendingClockKey: DependencyKey {
  static let liveValue: any Clock<Duration> = SuspendingClock()
  static var testValue: any Clock<Duration> { UnimplementedClock(name: "SuspendingClock") }
}

extension DependencyValues {
  /// The main queue, as a scheduler.
  ///
  /// ```swift
  /// @Dependency(\.mainQueue) var mainQueue
  /// try await mainQueue.sleep(for: .seconds(1))
  /// ```
  ///
  /// A test that uses it without an override gets an issue. Override it with `.immediate`, which
  /// runs work at once and repeated work once, or with a `DispatchQueue.test` whose time the test
  /// controls.
  public var mainQueue: AnySchedulerOf<DispatchQueue> {
    get { self[MainQueueKey.self] }
    set { self[MainQueueKey.self] = newValue }
  }
}

enum MainQueueKey: DependencyKey {
  static let liveValue = DispatchQueue.main.eraseToAnyScheduler()
  static var testValue: AnySchedulerOf<DispatchQueue> {
    .unimplemented("@Dependency(\\.mainQueue)", now: DispatchQueue.test.now)
  }
}
#endif

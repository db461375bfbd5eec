#if !PointFreeDependencies
public import Foundation

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

  /// The locales of the languages that the user prefers, the most preferred one first.
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

/// Asks the system at each read where nothing is overridden.
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
#endif

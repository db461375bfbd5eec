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
#endif

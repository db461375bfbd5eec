#if !PointFreeDependencies
public import Foundation

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

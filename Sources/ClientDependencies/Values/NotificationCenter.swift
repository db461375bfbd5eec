#if !PointFreeDependencies
public import Foundation

extension DependencyValues {
  /// The notification center: the process's at work, and one of its own for each test.
  ///
  /// What a test posts reaches neither the process's center nor another test.
  public var notificationCenter: NotificationCenter {
    get { self[NotificationCenterKey.self] }
    set { self[NotificationCenterKey.self] = newValue }
  }
}

enum NotificationCenterKey: DependencyKey {
  static let liveValue = NotificationCenter.default
  static var testValue: NotificationCenter { NotificationCenter() }
}
#endif

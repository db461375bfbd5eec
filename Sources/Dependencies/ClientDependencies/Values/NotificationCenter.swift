#if !PointFreeDependencies
#if Foundation
public import Foundation

extension DependencyValues {
  /// The notification center: the process's in the live context, and a separate one for each test.
  ///
  /// Notifications of a test reach neither the process's center nor other tests.
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
#endif

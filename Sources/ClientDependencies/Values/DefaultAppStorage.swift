#if !PointFreeDependencies
public import Foundation

extension DependencyValues {
  /// The user's defaults: the process's at work, and in tests and previews a storage in memory.
  ///
  /// Each test has a storage of its own, which is empty at first and leaves no file behind.
  public var defaultAppStorage: UserDefaults {
    get { self[DefaultAppStorageKey.self].value }
    set { self[DefaultAppStorageKey.self] = UncheckedSendable(newValue) }
  }
}

// `UncheckedSendable` is right, because Foundation documents defaults as safe on every thread.
enum DefaultAppStorageKey: DependencyKey {
  static let liveValue = UncheckedSendable(UserDefaults.standard)
  static var previewValue: UncheckedSendable<UserDefaults> { testValue }
  static var testValue: UncheckedSendable<UserDefaults> { UncheckedSendable(VolatileDefaults()) }
}
#endif

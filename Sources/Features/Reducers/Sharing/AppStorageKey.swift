public import ClientDependencies
public import Foundation

/// Keeps a shared value in the user defaults: `@Shared(.appStorage("volume")) var volume = 1.0`.
///
/// Each change is written to the file of the defaults before `withLock` returns. If you change
/// `UserDefaults` directly, call `load()` afterward, because Foundation on Linux does not report
/// such changes.
public struct AppStorageKey<Value: Sendable>: SharedKey, CustomStringConvertible {
  private let key: String
  // Safe because Foundation documents that any thread may use defaults.
  private nonisolated(unsafe) let store: UserDefaults
  private let read: @Sendable (_ key: String, _ store: UserDefaults) -> Value?
  private let write: @Sendable (_ value: Value, _ key: String, _ store: UserDefaults) -> Void

  fileprivate init(
    _ key: String, _ store: UserDefaults?,
    read: @escaping @Sendable (_ key: String, _ store: UserDefaults) -> Value?,
    write: @escaping @Sendable (_ value: Value, _ key: String, _ store: UserDefaults) -> Void
  ) {
    @Dependency(\.defaultAppStorage) var defaultStore
    (self.key, self.store, self.read, self.write) = (key, store ?? defaultStore, read, write)
  }

  /// The key and the defaults.
  public var id: [AnyHashableSendable] {
    [
      AnyHashableSendable("appStorage"), AnyHashableSendable(key),
      AnyHashableSendable(ObjectIdentifier(store)),
    ]
  }

  /// The expression that creates the key.
  public var description: String { ".appStorage(\(String(reflecting: key)))" }

  /// Returns the stored value, or else stores and returns the initial value.
  public func load(initialValue: Value?) throws -> Value? {
    if let stored = read(key, store) { return stored }
    if let initialValue { try save(initialValue) }
    return initialValue
  }

  /// Stores the value in the file of the defaults.
  public func save(_ value: Value) throws {
    write(value, key, store)
    // Foundation on Linux writes the file only here.
    if !store.synchronize() { throw CocoaError(.fileWriteUnknown) }
  }

  /// Starts watching for changes that the defaults report.
  public func subscribe(_ changed: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
    nonisolated(unsafe) let observer = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: store, queue: nil
    ) { _ in changed() }
    return { NotificationCenter.default.removeObserver(observer) }
  }
}

/// A type whose values the user defaults can store.
public protocol AppStorageValue: Sendable {
  /// Reads a value; nil if there is none of this type.
  static func value(forKey key: String, in store: UserDefaults) -> Self?
  /// Stores the value.
  func set(forKey key: String, in store: UserDefaults)
}

extension AppStorageValue {
  /// Reads a value; nil if there is none of this type.
  public static func value(forKey key: String, in store: UserDefaults) -> Self? {
    store.object(forKey: key) as? Self
  }

  /// Stores the value.
  public func set(forKey key: String, in store: UserDefaults) {
    store.set(self as Any, forKey: key)
  }
}

extension Bool: AppStorageValue {}
extension Int: AppStorageValue {}
extension Double: AppStorageValue {}
extension String: AppStorageValue {}
extension Data: AppStorageValue {}
extension Date: AppStorageValue {}
extension Array: AppStorageValue where Element == String {}

extension URL: AppStorageValue {
  /// Reads a URL, or the path of a file; nil if there is none.
  public static func value(forKey key: String, in store: UserDefaults) -> URL? {
    // A path was stored by Foundation, whose `url(forKey:)` returns it as a file URL.
    (store.object(forKey: key) as? String).flatMap {
      $0.hasPrefix("/") ? store.url(forKey: key) : URL(string: $0)
    }
  }

  /// Stores the URL as text.
  public func set(forKey key: String, in store: UserDefaults) {
    // Foundation on Linux would store only the path.
    store.set(absoluteString, forKey: key)
  }
}

extension Optional: AppStorageValue where Wrapped: AppStorageValue {
  /// Reads a value; nil if there is none.
  public static func value(forKey key: String, in store: UserDefaults) -> Wrapped?? {
    Wrapped.value(forKey: key, in: store).map(Optional.some)
  }

  /// Stores the value, or removes it.
  public func set(forKey key: String, in store: UserDefaults) {
    if let self { self.set(forKey: key, in: store) } else { store.removeObject(forKey: key) }
  }
}

extension SharedReaderKey {
  /// A key of the user defaults `store`, or of `\.defaultAppStorage` if `store` is nil.
  public static func appStorage<Value: AppStorageValue>(
    _ key: String, store: UserDefaults? = nil
  ) -> Self where Self == AppStorageKey<Value> {
    AppStorageKey(
      key, store, read: { Value.value(forKey: $0, in: $1) },
      write: { $0.set(forKey: $1, in: $2) })
  }

  /// A key of the user defaults for values that are stored as their raw values.
  public static func appStorage<Value: RawRepresentable & Sendable>(
    _ key: String, store: UserDefaults? = nil
  ) -> Self where Value.RawValue: AppStorageValue, Self == AppStorageKey<Value> {
    AppStorageKey(
      key, store,
      read: { Value.RawValue.value(forKey: $0, in: $1).flatMap(Value.init(rawValue:)) },
      write: { $0.rawValue.set(forKey: $1, in: $2) })
  }

  /// A key of the user defaults for optional values that are stored as their raw values.
  public static func appStorage<Value: RawRepresentable & Sendable>(
    _ key: String, store: UserDefaults? = nil
  ) -> Self where Value.RawValue: AppStorageValue, Self == AppStorageKey<Value?> {
    AppStorageKey(
      key, store,
      read: { Value.RawValue.value(forKey: $0, in: $1).flatMap(Value.init(rawValue:)) },
      write: { ($0?.rawValue).set(forKey: $1, in: $2) })
  }
}

#if PointFreeDependencies
private enum DefaultAppStorageKey: DependencyKey {
  // Safe because Foundation documents that any thread may use defaults.
  nonisolated(unsafe) static let live = UserDefaults.standard
  static var liveValue: UncheckedSendable<UserDefaults> { UncheckedSendable(live) }
  static var testValue: UncheckedSendable<UserDefaults> {
    UncheckedSendable(UnwrittenDefaults(suiteName: UUID().uuidString) ?? live)
  }
}

/// User defaults that are never written to a file.
///
/// Foundation on Linux writes the file only in `synchronize()`.
private final class UnwrittenDefaults: UserDefaults {
  override func synchronize() -> Bool { true }
}

extension DependencyValues {
  /// The user defaults of `.appStorage`: `UserDefaults.standard` in the live context, otherwise
  /// separate ones for each test or preview.
  public var defaultAppStorage: UserDefaults {
    get { self[DefaultAppStorageKey.self].value }
    set { self[DefaultAppStorageKey.self] = UncheckedSendable(newValue) }
  }
}
#endif

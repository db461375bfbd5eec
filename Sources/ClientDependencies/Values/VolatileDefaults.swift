#if !PointFreeDependencies
import Foundation

/// Defaults that live in memory and end with their owner.
///
/// Foundation's other accessors stand on the ones that are overridden here.
final class VolatileDefaults: UserDefaults {
  // Held for one look-up or change; values are property lists, which nobody changes.
  private let lock = NSLock()
  private var values: [String: Any] = [:]
  private var registered: [String: Any] = [:]

  init() {
    // The suite is never read or written; without a name there is always one.
    super.init(suiteName: nil)!
  }

  override func object(forKey key: String) -> Any? {
    lock.withLock { values[key] ?? registered[key] }
  }

  override func set(_ value: Any?, forKey key: String) {
    lock.withLock { values[key] = value }
    NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: self)
  }

  override func removeObject(forKey key: String) {
    set(nil as Any?, forKey: key)
  }

  override func register(defaults: [String: Any]) {
    lock.withLock { registered.merge(defaults) { _, new in new } }
  }

  override func dictionaryRepresentation() -> [String: Any] {
    lock.withLock { registered.merging(values) { _, set in set } }
  }

  override func synchronize() -> Bool { true }
}
#endif

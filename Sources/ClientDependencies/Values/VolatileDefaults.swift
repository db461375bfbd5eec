#if !PointFreeDependencies
import Foundation

/// Defaults that live in memory and end with their owner.
///
/// The domain of the program itself is what they set; all other domains are in memory as well.
/// Foundation's other accessors stand on the ones that are overridden here.
final class VolatileDefaults: UserDefaults {
  // Held for one look-up or change; values are property lists, which nobody changes.
  private let lock = NSLock()
  private var domains = DefaultsDomains()

  init() {
    // The suite is never read or written; without a name there is always one.
    super.init(suiteName: nil)!
    // Foundation has set the arguments of the process, which are none of the owner's.
    domains = DefaultsDomains()
  }

  override func object(forKey key: String) -> Any? {
    lock.withLock { domains.object(forKey: key) }
  }

  override func set(_ value: Any?, forKey key: String) {
    change { $0.set(value, forKey: key) }
  }

  override func removeObject(forKey key: String) {
    set(nil as Any?, forKey: key)
  }

  override func register(defaults: [String: Any]) {
    lock.withLock { domains.register(defaults) }
  }

  override func dictionaryRepresentation() -> [String: Any] {
    lock.withLock { domains.all }
  }

  override func synchronize() -> Bool { true }

  private func change(_ change: (inout DefaultsDomains) -> Void) {
    lock.withLock { change(&domains) }
    NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: self)
  }

  // MARK: Domains

  override func persistentDomain(forName name: String) -> [String: Any]? {
    lock.withLock { domains.persistent(forName: name) }
  }

  override func setPersistentDomain(_ domain: [String: Any], forName name: String) {
    change { $0.setPersistent(domain, forName: name) }
  }

  override func removePersistentDomain(forName name: String) {
    change { $0.setPersistent(nil, forName: name) }
  }

  override func addSuite(named name: String) {
    lock.withLock { domains.addSuite(name) }
  }

  override func removeSuite(named name: String) {
    lock.withLock { domains.removeSuite(name) }
  }

  override var volatileDomainNames: [String] {
    lock.withLock { domains.volatile.keys.sorted() }
  }

  override func volatileDomain(forName name: String) -> [String: Any] {
    lock.withLock { domains.volatile[name] ?? [:] }
  }

  override func setVolatileDomain(_ domain: [String: Any], forName name: String) {
    lock.withLock { domains.setVolatile(domain, forName: name) }
  }

  override func removeVolatileDomain(forName name: String) {
    lock.withLock { domains.setVolatile(nil, forName: name) }
  }
}
#endif

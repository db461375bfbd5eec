#if !PointFreeDependencies
#if Foundation
public import Foundation

extension DependencyValues {
  /// The user defaults: the process's in the live context, and in memory in tests and previews.
  ///
  /// Each test has its own defaults, which are initially empty and leave no file.
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

/// The domains of in-memory defaults, as dictionaries by name.
private struct DefaultsDomains {
  private static let ownKey = "own"
  private var persistent: [String: [String: Any]] = [:]
  var suites: [String] = []
  var volatile: [String: [String: Any]] = [
    UserDefaults.argumentDomain: [:], UserDefaults.registrationDomain: [:],
  ]

  /// The program's domain.
  var own: [String: Any] {
    get { persistent[Self.ownKey] ?? [:] }
    // A setter would copy all entries for each change.
    _modify { yield &persistent[Self.ownKey, default: [:]] }
  }

  /// A persistent domain.
  subscript(persistent name: String) -> [String: Any]? {
    get { persistent[Self.key(of: name)] }
    set { persistent[Self.key(of: name)] = newValue }
  }

  /// The domains in the order in which they are searched.
  var searched: [[String: Any]] {
    let lasting = ([Self.ownKey] + suites.map(Self.key)).map { persistent[$0] ?? [:] }
    return [volatile[UserDefaults.argumentDomain] ?? [:]] + lasting
      + [volatile[UserDefaults.registrationDomain] ?? [:]]
  }

  /// The program's domain has the name of its bundle or process.
  private static func key(of name: String) -> String {
    let isOwn = name == Bundle.main.bundleIdentifier || name == ProcessInfo.processInfo.processName
    return isOwn ? ownKey : "suite \(name)"
  }
}

/// In-memory defaults that end with their owner.
///
/// Setting a value changes the program's domain. All other domains are in memory too. Foundation's
/// other accessors call the ones that are overridden here.
private final class VolatileDefaults: UserDefaults {
  // Held for one lookup or change. Values are immutable property lists.
  private let lock = NSLock()
  private var domains = DefaultsDomains()

  init() {
    // The suite is never read or written. Without a name, the initializer always succeeds.
    super.init(suiteName: nil)!
    // Remove the process's arguments, which Foundation has set.
    domains = DefaultsDomains()
  }

  override func object(forKey key: String) -> Any? {
    lock.withLock { domains.searched.lazy.compactMap { $0[key] }.first }
  }

  override func set(_ value: Any?, forKey key: String) {
    change { $0.own[key] = value }
  }

  override func removeObject(forKey key: String) {
    set(nil as Any?, forKey: key)
  }

  override func register(defaults: [String: Any]) {
    lock.withLock {
      domains.volatile[UserDefaults.registrationDomain, default: [:]].merge(defaults) { $1 }
    }
  }

  override func dictionaryRepresentation() -> [String: Any] {
    lock.withLock {
      domains.searched.reduce(into: [:]) { all, domain in all.merge(domain) { first, _ in first } }
    }
  }

  override func synchronize() -> Bool { true }

  private func change(_ change: (inout DefaultsDomains) -> Void) {
    lock.withLock { change(&domains) }
    NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: self)
  }

  // MARK: Domains

  override func persistentDomain(forName name: String) -> [String: Any]? {
    lock.withLock { domains[persistent: name] }
  }

  override func setPersistentDomain(_ domain: [String: Any], forName name: String) {
    change { $0[persistent: name] = domain }
  }

  override func removePersistentDomain(forName name: String) {
    change { $0[persistent: name] = nil }
  }

  override func addSuite(named name: String) {
    lock.withLock {
      domains.suites.removeAll { $0 == name }
      domains.suites.append(name)
    }
  }

  override func removeSuite(named name: String) {
    lock.withLock { domains.suites.removeAll { $0 == name } }
  }

  override var volatileDomainNames: [String] {
    lock.withLock { domains.volatile.keys.sorted() }
  }

  override func volatileDomain(forName name: String) -> [String: Any] {
    lock.withLock { domains.volatile[name] ?? [:] }
  }

  override func setVolatileDomain(_ domain: [String: Any], forName name: String) {
    lock.withLock { domains.volatile[name] = domain }
  }

  override func removeVolatileDomain(forName name: String) {
    lock.withLock { domains.volatile[name] = nil }
  }
}
#endif
#endif

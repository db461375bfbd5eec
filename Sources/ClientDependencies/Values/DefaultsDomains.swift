#if !PointFreeDependencies
import Foundation

/// The domains that a storage of defaults in memory reads, as dictionaries by their names.
struct DefaultsDomains {
  private static let own = "own"
  private var persistent: [String: [String: Any]] = [:]
  private var suites: [String] = []
  private(set) var volatile: [String: [String: Any]] = [
    UserDefaults.argumentDomain: [:], UserDefaults.registrationDomain: [:],
  ]

  /// The value of the first domain that has one.
  func object(forKey key: String) -> Any? {
    searched.lazy.compactMap { $0[key] }.first
  }

  var all: [String: Any] {
    searched.reduce(into: [:]) { all, domain in all.merge(domain) { first, _ in first } }
  }

  mutating func set(_ value: Any?, forKey key: String) {
    persistent[Self.own, default: [:]][key] = value
  }

  mutating func register(_ defaults: [String: Any]) {
    volatile[UserDefaults.registrationDomain, default: [:]].merge(defaults) { _, new in new }
  }

  mutating func setVolatile(_ domain: [String: Any]?, forName name: String) {
    volatile[name] = domain
  }

  func persistent(forName name: String) -> [String: Any]? {
    persistent[Self.key(of: name)]
  }

  mutating func setPersistent(_ domain: [String: Any]?, forName name: String) {
    persistent[Self.key(of: name)] = domain
  }

  mutating func addSuite(_ name: String) {
    removeSuite(name)
    suites.append(name)
  }

  mutating func removeSuite(_ name: String) {
    suites.removeAll { $0 == name }
  }

  private var searched: [[String: Any]] {
    let lasting = ([Self.own] + suites.map(Self.key)).map { persistent[$0] ?? [:] }
    return [volatile[UserDefaults.argumentDomain] ?? [:]] + lasting
      + [volatile[UserDefaults.registrationDomain] ?? [:]]
  }

  /// The program's own domain goes by the name of its bundle or of its process.
  private static func key(of name: String) -> String {
    let isOwn = name == Bundle.main.bundleIdentifier || name == ProcessInfo.processInfo.processName
    return isOwn ? own : "suite \(name)"
  }
}
#endif

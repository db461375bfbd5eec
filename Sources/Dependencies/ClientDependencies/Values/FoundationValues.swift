#if !PointFreeDependencies
#if Foundation
public import Foundation
public import FoundationNetworking

extension DependencyValues {
  /// The user defaults: those of the process in the live context, and in-memory defaults in tests
  /// and previews.
  ///
  /// Each test has its own defaults, which are initially empty and leave no file.
  public var defaultAppStorage: UserDefaults {
    get { self[DefaultAppStorageKey.self].value }
    set { self[DefaultAppStorageKey.self] = UncheckedSendable(newValue) }
  }
}

// `UncheckedSendable` is safe, because Foundation documents that any thread may use defaults.
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

  /// The entries of the program's own persistent domain.
  var own: [String: Any] {
    get { persistent[Self.ownKey] ?? [:] }
    // `_modify` avoids the copy of all entries that a setter would make for each change.
    _modify { yield &persistent[Self.ownKey, default: [:]] }
  }

  /// The contents of the persistent domain `name`; nil if there are none.
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

  /// Returns the dictionary key of the domain `name`; the program's own domain is named after its
  /// bundle or process.
  private static func key(of name: String) -> String {
    let isOwn = name == Bundle.main.bundleIdentifier || name == ProcessInfo.processInfo.processName
    return isOwn ? ownKey : "suite \(name)"
  }
}

/// In-memory defaults that are lost when their owner is released.
///
/// Setting a value changes the program's domain. All other domains are in memory, too. Foundation's
/// other accessors call the methods that are overridden here.
private final class VolatileDefaults: UserDefaults {
  // The lock is held for one lookup or change. Values are immutable property lists.
  private let lock = NSLock()
  private var domains = DefaultsDomains()

  init() {
    // The suite is never read or written. Without a name, the initializer always succeeds.
    super.init(suiteName: nil)!
    // Foundation has stored the process's arguments in a domain, so empty all domains.
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

extension DependencyValues {
  /// The session for requests: the process's shared session in the live context.
  ///
  /// In tests, every request fails with an issue. Override it with a session whose configuration
  /// has a `URLProtocol` of the test, or better, override a client above the session.
  public var urlSession: URLSession {
    get { self[URLSessionKey.self] }
    set { self[URLSessionKey.self] = newValue }
  }
}

private enum URLSessionKey: DependencyKey {
  static let liveValue = URLSession.shared
  static var testValue: URLSession { .unimplemented }
}

extension URLSession {
  /// A session in which every request reports an issue of the current test and fails.
  static var unimplemented: URLSession {
    let owner = SessionOrigin(.current)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [owner.protocolClass]
    return URLSession(configuration: configuration, delegate: owner, delegateQueue: nil)
  }
}

/// Reports and fails every request.
///
/// A session creates this object itself, on another thread, and passes it no data of the test. So
/// each session of a test has a separate class, distinguished by `Number`.
private final class UnimplementedURLProtocol<Number>: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { true }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    let error = Unimplemented("@Dependency(\\.urlSession)")
    let url = request.url?.absoluteString ?? ""
    SessionClasses.origin(of: Self.self).reportIssue(
      """
      \(error): '\(url)' was requested. Override the session in the test, or the client that uses it.
      """)
    client?.urlProtocol(self, didFailWithError: error)
  }

  override func stopLoading() {}
}

/// Reserves a protocol class for a session, as long as the session retains this object as its
/// delegate.
private final class SessionOrigin: NSObject, URLSessionDelegate {
  let protocolClass: AnyClass
  private let number: Int

  init(_ origin: IssueOrigin) {
    (number, protocolClass) = SessionClasses.acquireClass(for: origin)
  }

  deinit { SessionClasses.giveBack(number, protocolClass) }
}

/// The `URLProtocol` classes of the current sessions.
///
/// A new session reuses the class of a released session.
private enum SessionClasses {
  private struct State {
    var origins: [ObjectIdentifier: IssueOrigin] = [:]
    var unused: [Int] = []
    var made = 0

    mutating func acquireNumber() -> Int {
      if let number = unused.popLast() { return number }
      defer { made += 1 }
      return made
    }
  }

  // The lock is held for one lookup or change. Origins are released once the lock is released.
  private static let state = Lock(State())

  static func acquireClass(for origin: IssueOrigin) -> (number: Int, AnyClass) {
    state.withLock { state in
      let number = state.acquireNumber()
      let taken: AnyClass = numbered(number, Binary.self)
      state.origins[ObjectIdentifier(taken)] = origin
      return (number, taken)
    }
  }

  static func giveBack(_ number: Int, _ given: AnyClass) {
    _ = state.withLock { state in
      state.unused.append(number)
      return state.origins.removeValue(forKey: ObjectIdentifier(given))
    }
  }

  static func origin(of taken: AnyClass) -> IssueOrigin {
    state.withLock { $0.origins[ObjectIdentifier(taken)] } ?? IssueOrigin()
  }

  /// Encodes a number as a type, digit by digit.
  private static func numbered<Digits>(_ number: Int, _ digits: Digits.Type) -> AnyClass {
    switch (number, number % 2) {
    case (0, _): UnimplementedURLProtocol<Digits>.self
    case (_, 0): numbered(number / 2, Zero<Digits>.self)
    default: numbered(number / 2, One<Digits>.self)
    }
  }

  private enum Binary {}
  private enum Zero<Digits> {}
  private enum One<Digits> {}
}

extension DependencyValues {
  /// The notification center: that of the process in the live context, and a separate center for
  /// each test.
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

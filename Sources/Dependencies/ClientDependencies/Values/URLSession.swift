#if !PointFreeDependencies
#if Foundation
import Foundation
public import FoundationNetworking

extension DependencyValues {
  /// The session for requests: the process's shared one in the live context.
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
/// A session creates it from its class alone, on its own thread. So each session of a test has its
/// own class, distinguished by `Number`.
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

/// Reserves a class for one session, which retains it as its delegate.
private final class SessionOrigin: NSObject, URLSessionDelegate {
  let protocolClass: AnyClass
  private let number: Int

  init(_ origin: IssueOrigin) {
    (number, protocolClass) = SessionClasses.takeClass(for: origin)
  }

  deinit { SessionClasses.giveBack(number, protocolClass) }
}

/// The classes of the current sessions.
///
/// A new session reuses a free one.
private enum SessionClasses {
  private struct State {
    var origins: [ObjectIdentifier: IssueOrigin] = [:]
    var unused: [Int] = []
    var made = 0

    mutating func takeNumber() -> Int {
      if let number = unused.popLast() { return number }
      defer { made += 1 }
      return made
    }
  }

  // Held for one lookup or change. Origins are released after the lock.
  private static let state = Lock(State())

  static func takeClass(for origin: IssueOrigin) -> (number: Int, AnyClass) {
    state.withLock { state in
      let number = state.takeNumber()
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
#endif
#endif

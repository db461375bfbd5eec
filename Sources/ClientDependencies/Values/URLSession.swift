#if !PointFreeDependencies
#if Foundation
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

enum URLSessionKey: DependencyKey {
  static let liveValue = URLSession.shared
  static var testValue: URLSession { .unimplemented }
}
#endif
#endif

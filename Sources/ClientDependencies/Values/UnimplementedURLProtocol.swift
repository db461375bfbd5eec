#if !PointFreeDependencies
import Foundation
import FoundationNetworking

extension URLSession {
  /// A session whose every request is an issue of the current test, and fails.
  static var unimplemented: URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [SessionClasses.makeClass(for: .current)]
    return URLSession(configuration: configuration)
  }
}

/// Takes every request, reports it and lets it fail.
///
/// A session makes it from its class alone, on a thread of its own: a session that belongs to a
/// test therefore has a class to itself, told from the others by `Number`.
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

/// The classes that were made, which live as long as the process, as their sessions might.
private enum SessionClasses {
  private static let origins = Lock<[ObjectIdentifier: IssueOrigin]>([:])

  static func makeClass(for origin: IssueOrigin) -> AnyClass {
    origins.withLock { origins in
      let made: AnyClass = numbered(origins.count, Binary.self)
      origins[ObjectIdentifier(made)] = origin
      return made
    }
  }

  static func origin(of made: AnyClass) -> IssueOrigin {
    origins.withLock { $0[ObjectIdentifier(made)] } ?? IssueOrigin()
  }

  /// Writes a number as a type, digit by digit.
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

import Foundation
import FoundationNetworking

extension URLSession {
  /// A session whose every request is an issue and fails.
  static var unimplemented: URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [UnimplementedURLProtocol.self]
    return URLSession(configuration: configuration)
  }
}

/// Takes every request, reports it and lets it fail.
private final class UnimplementedURLProtocol: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { true }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    let name = "@Dependency(\\.urlSession)"
    reportIssue(
      "\(Unimplemented(name)): a request of '\(request.url?.absoluteString ?? "no URL")' was made.")
    client?.urlProtocol(self, didFailWithError: Unimplemented(name))
  }

  override func stopLoading() {}
}

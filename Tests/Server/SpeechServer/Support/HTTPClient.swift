import ClientDependencies
import SpeechClient
import SpeechEngine
import SpeechServer
import Wyoming

@testable import WyomingEngine

/// A client that sends requests byte by byte as written, each on its own connection.
struct HTTPClient: Sendable {
  let address: WyomingAddress

  /// Returns the whole response to a request without a body, whose header ends with a line end.
  func answer(to header: String) async throws -> String {
    try await send(header + "Connection: close\r\n\r\n")
  }

  /// Sends a text, and returns all that the server sends until it closes the connection.
  func send(_ request: String) async throws -> String {
    try await send(Array(request.utf8))
  }

  /// Sends bytes, and returns all that the server sends until it closes the connection.
  func send(_ request: [UInt8]) async throws -> String {
    try await onThread {
      let link = try connect(address)
      var rest = request[...]
      var text: [UInt8] = []
      while true {
        if !rest.isEmpty {
          _ = try link.wait(toWrite: true, within: TimeBudget(.seconds(60)))
          // A server that has refused the request may have closed the connection.
          guard let count = try? link.write(rest) else { break }
          rest = rest.dropFirst(count)
        } else {
          _ = try link.wait(toWrite: false, within: TimeBudget(.seconds(60)))
        }
        guard let bytes = try link.read() else { continue }
        guard !bytes.isEmpty else { break }
        text += bytes
      }
      return String(decoding: text, as: UTF8.self)
    }
  }
}

/// Runs a server at an address for HTTP, and ends it after `body`.
func servingHTTP(
  _ endpoint: SpeechServer.Endpoint = .http(host: "127.0.0.1", port: 0), speech: SpeechClient,
  engine: SpeechEngine, clock: any Clock<Duration>,
  options change: (inout SpeechServerOptions) -> Void = { _ in },
  _ body: @escaping @Sendable (HTTPClient) async throws -> Void
) async throws {
  var options = SpeechServerOptions()
  change(&options)
  let server = SpeechServer([endpoint], options: options)
  let (addresses, listening) = AsyncStream.makeStream(of: WyomingAddress.self)
  let serving = withDependencies {
    $0.speechClient = speech
    $0.speechEngine = engine
    $0.speechEngines = []
    $0.continuousClock = clock
  } operation: {
    Task {
      defer { listening.finish() }
      try await server.run { endpoint in
        switch endpoint {
        case .http(let host, let port), .metrics(let host, let port):
          listening.yield(.tcp(host: host, port: port))
        case .wyoming(let address): listening.yield(address)
        }
      }
    }
  }
  defer { serving.cancel() }
  if let address = await addresses.first(where: { _ in true }) {
    try await body(HTTPClient(address: address))
  }
  serving.cancel()
  do { try await serving.value } catch is CancellationError {}
}

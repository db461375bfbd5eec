import ClientDependencies
import CoreMetrics
import Testing
import Wyoming
import WyomingServer

@testable import WyomingEngine

@Suite(.timeLimit(.minutes(1))) struct MetricsEndpointTests {
  private let clock = TestClock()

  /// Runs an endpoint with a counter, and ends it after `body`.
  private func serving(
    at host: String = "127.0.0.1", _ body: @Sendable (WyomingAddress) async throws -> Void
  ) async throws {
    let endpoint = MetricsEndpoint(host: host, port: 0)
    Counter(label: "clients_total", factory: endpoint.metrics).increment()
    let (addresses, listening) = AsyncStream.makeStream(of: WyomingAddress.self)
    let serving = withDependencies {
      $0.continuousClock = clock
    } operation: {
      Task {
        defer { listening.finish() }
        try await endpoint.run { listening.yield($0) }
      }
    }
    defer { serving.cancel() }
    if let address = await addresses.first(where: { _ in true }) { try await body(address) }
    serving.cancel()
    do { try await serving.value } catch is CancellationError {}
  }

  /// Returns all text that the endpoint sends in response to a request until it closes the
  /// connection.
  private func answer(to request: String, at address: WyomingAddress) async throws -> String {
    try await onThread {
      let link = try connect(address)
      if !request.isEmpty { _ = try link.write(Array(request.utf8)[...]) }
      return try text(from: link)
    }
  }

  @Test(
    arguments: [
      ("GET /metrics", "200 OK", "# TYPE clients_total counter\nclients_total 1\n"),
      ("GET /metrics?x=1", "200 OK", "# TYPE clients_total counter\nclients_total 1\n"),
      ("HEAD /metrics", "200 OK", ""),
      ("GET /", "404 Not Found", "The metrics are at /metrics.\n"),
      ("POST /metrics", "405 Method Not Allowed", "Use GET or HEAD.\n"),
    ])
  func `GET /metrics returns metrics, and a wrong path or method returns an error with a hint`(
    request: String, status: String, body: String
  ) async throws {
    try await serving { address in
      let answer = try await answer(to: "\(request) HTTP/1.1\r\nHost: x\r\n\r\n", at: address)
      #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"))
      #expect(answer.hasSuffix("\r\n\r\n\(body)"))
      #expect(answer.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
    }
  }

  @Test(arguments: ["", "GET /metrics HTTP/1.1\r\nHost: x\r\n", "GET /metrics HTTP/1.1\r\nHost"])
  func `a client that sends no complete request is disconnected after two seconds`(
    request: String
  ) async throws {
    try await serving { address in
      async let silent = answer(to: request, at: address)
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(2))
      let text = try await silent
      #expect(text == "")
    }
  }

  @Test func `a request with bare line feeds gets a response, or its connection is closed at once`()
    async throws
  {
    try await serving { address in
      for request in ["GET /metrics HTTP/1.0\n\n", "GET /metrics HTTP/1.1\nHost: x\n\n"] {
        let text = try await answer(to: request, at: address)
        #expect(text.hasPrefix("HTTP/1."), "\(text)")
      }
    }
  }

  @Test func `a client beyond the limit is disconnected, and the other clients are served`()
    async throws
  {
    try await serving { address in
      try await onThread {
        let links = try (0..<16).map { _ in try connect(address) }
        #expect(try text(from: try connect(address)).isEmpty)
        for link in links {
          _ = try link.write(Array("GET /metrics HTTP/1.0\r\n\r\n".utf8)[...])
          #expect(try text(from: link).hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
      }
    }
  }

  @Test func `a client that does not speak HTTP gets no metrics, but the next client does`()
    async throws
  {
    try await serving { address in
      let answer = try await answer(to: "{\"type\": \"describe\"}\n\r\n\r\n", at: address)
      #expect(!answer.contains("200 OK"))
      let next = try await self.answer(
        to: "GET /metrics HTTP/1.0\r\n\r\n", at: address)
      #expect(next.contains("200 OK"))
    }
  }

  @Test func `an address that other machines can reach needs permission`() async throws {
    await #expect(throws: WyomingServerError.remoteAddress("tcp://0.0.0.0:0")) {
      try await serving(at: "0.0.0.0") { _ in }
    }
  }
}

/// Returns all text up to the end of the connection.
private func text(from link: ByteLink) throws -> String {
  var text: [UInt8] = []
  while true {
    _ = try link.wait(toWrite: false, within: TimeBudget(.seconds(60)))
    guard let bytes = try link.read() else { continue }
    guard !bytes.isEmpty else { return String(decoding: text, as: UTF8.self) }
    text += bytes
  }
}

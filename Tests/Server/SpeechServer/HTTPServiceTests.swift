import AudioCore
import ClientDependencies
import Foundation
import SpeechClient
import SpeechEngine
import SpeechServer
import Testing
import Wyoming

@testable import WyomingEngine

@Suite(.timeLimit(.minutes(1))) struct HTTPServiceTests {
  private let clock = TestClock()
  private let engine = SpeechEngine(
    name: "test",
    availability: { .ready(SpeechModel(language: "en-US", location: "here")) },
    makeSession: { _ in throw SpeechEngineError.failed(reason: "unused") })

  /// Runs a server, and ends it after `body`.
  private func serving(
    _ endpoint: SpeechServer.Endpoint = .http(host: "127.0.0.1", port: 0),
    engine: SpeechEngine? = nil, options change: (inout SpeechServerOptions) -> Void = { _ in },
    _ body: @escaping @Sendable (HTTPClient) async throws -> Void
  ) async throws {
    try await servingHTTP(
      endpoint, speech: CountingSpeech().client, engine: engine ?? self.engine, clock: clock,
      options: change, body)
  }

  @Test(
    arguments: [
      ("GET /metrics", "200 OK", "text/plain; version=0.0.4; charset=utf-8"),
      ("GET /metrics?x=1", "200 OK", "text/plain; version=0.0.4; charset=utf-8"),
      ("HEAD /metrics", "200 OK", "text/plain; version=0.0.4; charset=utf-8"),
      ("GET /", "200 OK", "text/html; charset=utf-8"),
      ("GET /health", "200 OK", "application/json"),
      ("GET /openapi.json", "200 OK", "application/json"),
      ("GET /v1/models", "200 OK", "application/json"),
      ("GET /v1/models/syrinx", "200 OK", "application/json"),
      ("GET http://localhost/health?x=://", "200 OK", "application/json"),
      ("GET /v1/models/other", "404 Not Found", "application/json"),
      ("GET /other", "404 Not Found", "application/json"),
      ("POST /metrics", "405 Method Not Allowed", "application/json"),
      ("GET /v1/audio/transcriptions", "405 Method Not Allowed", "application/json"),
      ("GET /v1/realtime?intent=transcription", "426 Upgrade Required", "application/json"),
    ])
  func `each address has one kind of response, and a wrong address or method gets an error`(
    request: String, status: String, type: String
  ) async throws {
    try await serving { client in
      let answer = try await client.answer(to: "\(request) HTTP/1.1\r\nHost: localhost\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"))
      #expect(answer.contains("\r\nContent-Type: \(type)\r\n"))
      if request.hasPrefix("HEAD") { #expect(answer.hasSuffix("\r\n\r\n")) }
    }
  }

  @Test func `an error names the parameter, and its body has the shape of OpenAI's errors`()
    async throws
  {
    try await serving { client in
      let answer = try await client.answer(
        to: "GET /v1/models/a\"b HTTP/1.1\r\nHost: localhost\r\n")
      let body = answer.split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""
      let error = try JSONDecoder().decode([String: [String: String]].self, from: Data(body.utf8))
      #expect(error["error"]?["param"] == "model")
      #expect(error["error"]?["code"] == "model_not_found")
      #expect(error["error"]?["type"] == "invalid_request_error")
    }
  }

  @Test func `several requests on one connection are answered in order`() async throws {
    try await serving { client in
      let requests = ["/health", "/other", "/v1/models"].map {
        "GET \($0) HTTP/1.1\r\nHost: localhost\r\n\r\n"
      }
      let answer = try await client.send(
        requests.joined() + "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      let statuses = answer.matches(of: /HTTP\/1\.1 (\d+)/).map { String($0.1) }
      #expect(statuses == ["200", "404", "200", "200"])
    }
  }

  @Test(arguments: [
    ("/health", "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n", "200"),
    ("/v1/nothing", "Upgrade: websocket\r\nConnection: Upgrade\r\n", "404"),
    ("/v1/realtime", "Upgrade: websocket\r\nConnection: Upgrade\r\n", "426"),
    (
      "/v1/realtime",
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 8\r\n", "426"
    ),
    (
      "/v1/realtime",
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13, 8\r\n"
        + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n", "426"
    ),
    (
      "/v1/realtime",
      "Upgrade: websocket\r\nConnection: Upgrade\r\nOrigin: https://other.example\r\n", "403"
    ),
  ])
  func `a request for an upgrade that is not possible is answered like any other`(
    path: String, fields: String, status: String
  ) async throws {
    try await serving { client in
      let answer = try await client.send(
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
      #expect(answer.contains("\r\nConnection: close\r\n"))
    }
  }

  @Test func `the models are the default, and each engine that is ready`() async throws {
    try await serving { client in
      let answer = try await client.answer(to: "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n")
      #expect(answer.contains("\"id\":\"syrinx\",\"languages\":[\"en-US\"],\"object\":\"model\""))
    }
  }

  @Test func `a server whose engine is not ready is not healthy, and says why`() async throws {
    let broken = SpeechEngine(
      name: "broken", availability: { .unavailable(.failed(reason: "no model")) }, models: { [] },
      makeSession: { _ in throw SpeechEngineError.failed(reason: "unused") })
    try await serving(engine: broken) { client in
      let answer = try await client.answer(to: "GET /health HTTP/1.1\r\nHost: localhost\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
      #expect(answer.contains("no model"))
    }
  }

  @Test(
    arguments: [
      ("localhost", "200"), ("127.0.0.1:8080", "200"), ("[::1]:8080", "200"),
      ("a.localhost", "200"), ("speech.example", "200"), ("evil.example", "403"),
      ("127.0.0.1.evil.example", "403"), ("", "403"),
    ])
  func `a name that a web page may have pointed to this server is refused`(
    host: String, status: String
  ) async throws {
    try await serving(options: { $0.allowedHosts = ["speech.example"] }) { client in
      let answer = try await client.answer(to: "GET /v1/models HTTP/1.1\r\nHost: \(host)\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
    }
  }

  @Test(
    arguments: [
      ("http://localhost:80", "403", false), ("http://localhost", "200", false),
      ("https://app.example", "200", true), ("https://other.example", "403", false),
      ("null", "403", false),
    ])
  func `a web page of another origin may use the server only if its origin is allowed`(
    origin: String, status: String, isNamed: Bool
  ) async throws {
    try await serving(options: { $0.allowedOrigins = ["https://app.example"] }) { client in
      let answer = try await client.answer(
        to: "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nOrigin: \(origin)\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
      #expect(answer.contains("Access-Control-Allow-Origin: \(origin)\r\n") == isNamed)
    }
  }

  @Test func `a browser may ask without a key what an allowed page may send`() async throws {
    try await serving(
      options: {
        $0.allowedOrigins = ["https://app.example"]
        $0.apiKeys = ["secret"]
      }
    ) { client in
      let answer = try await client.answer(
        to: """
          OPTIONS /v1/audio/transcriptions HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\
          \r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization\r\n
          """)
      #expect(answer.hasPrefix("HTTP/1.1 204 No Content\r\n"))
      #expect(answer.contains("Access-Control-Allow-Headers: authorization\r\n"))
      #expect(answer.contains("Access-Control-Allow-Methods: GET, POST\r\n"))
    }
  }

  @Test func `a page of an allowed origin can read that its key is missing`() async throws {
    try await serving(
      options: {
        $0.allowedOrigins = ["*"]
        $0.apiKeys = ["one"]
      }
    ) { client in
      let answer = try await client.answer(
        to: "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
      #expect(answer.contains("Access-Control-Allow-Origin: https://app.example\r\n"))
    }
  }

  @Test func `a client gets the whole of its last response, even if it reads slowly`() async throws
  {
    try await serving { client in
      let page = "GET / HTTP/1.1\r\nHost: localhost\r\n"
      let answer = try await client.send(
        String(repeating: page + "\r\n", count: 250) + page + "Connection: close\r\n\r\n")
      #expect(answer.matches(of: /<\/html>/).count == 251)
    }
  }

  @Test(
    arguments: [
      ("", "401"), ("Authorization: Bearer one\r\n", "200"),
      ("Authorization: bearer two\r\n", "200"), ("Authorization: Bearer on\r\n", "401"),
      ("Authorization: Bearer oneone\r\n", "401"), ("Authorization: one\r\n", "401"),
      ("Authorization: Bearer \r\n", "401"),
      ("Sec-WebSocket-Protocol: realtime, openai-insecure-api-key.two\r\n", "200"),
    ])
  func `with keys, a request without one of them is refused`(field: String, status: String)
    async throws
  {
    try await serving(options: { $0.apiKeys = ["one", "two"] }) { client in
      let answer = try await client.answer(
        to: "GET /v1/models HTTP/1.1\r\nHost: x.example\r\n\(field)")
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
      for path in ["/", "/health", "/openapi.json"] {
        let open = try await client.answer(to: "GET \(path) HTTP/1.1\r\nHost: x.example\r\n")
        #expect(open.hasPrefix("HTTP/1.1 200 OK\r\n"))
      }
    }
  }

  @Test(arguments: ["", "GET /metrics HTTP/1.1\r\nHost: x\r\n", "GET /metrics HTTP/1.1\r\nHost"])
  func `a client that sends no complete request is disconnected after the idle time`(
    request: String
  ) async throws {
    try await serving { client in
      async let silent = client.send(request)
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(30))
      let text = try await silent
      #expect(text == "")
    }
  }

  @Test(
    arguments: [
      "{\"type\": \"describe\"}\n\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
      "POST /v1/audio/transcriptions HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc",
      "GET / HTTP/1.1\r\nHost: x\r\nA: \(String(repeating: "a", count: 20_000))\r\n\r\n",
      "GET / HTTP/1.1\r\n\(String(repeating: "A: b\r\n", count: 200))\r\n",
    ])
  func `a client that does not speak HTTP gets an error, but the next client is served`(
    request: String
  ) async throws {
    try await serving { client in
      let answer = try await client.send(request)
      #expect(!answer.contains("200 OK"), "\(answer)")
      let next = try await client.answer(to: "GET /health HTTP/1.1\r\nHost: localhost\r\n")
      #expect(next.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test func `an endpoint for metrics has nothing else`() async throws {
    try await serving(
      .metrics(host: "127.0.0.1", port: 0)
    ) { client in
      let metrics = try await client.answer(to: "GET /metrics HTTP/1.1\r\nHost: speech\r\n")
      #expect(metrics.contains("# TYPE syrinx_clients gauge\nsyrinx_clients 0\n"))
      let page = try await client.answer(to: "GET / HTTP/1.1\r\nHost: localhost\r\n")
      #expect(page.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
    }
  }

  @Test func `an address that other machines can reach needs permission`() async throws {
    await #expect(throws: SpeechServerError.remoteAddress("tcp://0.0.0.0:0")) {
      try await serving(.http(host: "0.0.0.0", port: 0)) { _ in }
    }
  }
}

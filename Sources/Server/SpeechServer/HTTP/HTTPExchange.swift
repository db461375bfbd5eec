import AudioCore
import NIOCore
import NIOHTTP1

/// The requests of a connection, in order.
final class HTTPExchanges {
  fileprivate let client: Int
  fileprivate var parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
  fileprivate let output: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
  fileprivate let watch: PeerWatch

  init(
    _ client: Int,
    _ input: NIOAsyncChannelInboundStream<HTTPServerRequestPart>,
    _ output: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>, _ watch: PeerWatch
  ) {
    self.client = client
    (parts, self.output, self.watch) = (input.makeAsyncIterator(), output, watch)
  }

  /// Waits for the next request; nil when the client has closed the connection.
  func next() async throws -> HTTPExchange? {
    while let part = try await read() {
      guard case .head(let head) = part else { continue }
      // The limit counts anew from each request.
      watch.credit(audio: .seconds(1))
      return HTTPExchange(head, of: self)
    }
    return nil
  }

  fileprivate func read() async throws -> HTTPServerRequestPart? {
    try await watch.waiting { try await parts.next() }
  }
}

/// A request of an HTTP client, and its response.
final class HTTPExchange {
  /// The number of bytes that count as a second of audio for the idle limit.
  private static let bytesPerSecond = 32_768
  /// The maximum number of bytes to read after an early response, so that the client gets it.
  private static let longestRest = 16 << 20

  let head: HTTPRequestHead
  /// Additional fields of the response.
  var fields = HTTPHeaders()
  /// The status that was sent; nil before the response.
  private(set) var status: HTTPResponseStatus?
  /// Whether the whole response was sent.
  private(set) var isComplete = false

  private let connection: HTTPExchanges
  private var hasReadAll = false
  private var mustContinue: Bool
  private var isKeptAlive: Bool

  fileprivate init(_ head: HTTPRequestHead, of connection: HTTPExchanges) {
    (self.head, self.connection) = (head, connection)
    // A proxy may use the connection again for a WebSocket, but only the first request of a connection
    // can become one. After a request for an upgrade, NIO's decoder reads no more.
    let isLast = ["Forwarded", "Upgrade", "Via", "X-Forwarded-For"]
      .contains { head.headers.contains(name: $0) }
    isKeptAlive = head.isKeepAlive && !isLast
    mustContinue = head.headers["Expect"].contains { $0.lowercased() == "100-continue" }
  }

  /// The client's number in reports.
  var client: Int { connection.client }
  /// Measures the client's idle time.
  var watch: PeerWatch { connection.watch }

  /// Waits for the next bytes of the request's body; nil at its end.
  ///
  /// - Throws: `CancellationError` if the client closes the connection earlier.
  func nextPiece() async throws -> ByteBuffer? {
    guard !hasReadAll else { return nil }
    if mustContinue {
      mustContinue = false
      try await write([.head(HTTPResponseHead(version: head.version, status: .continue))])
    }
    switch try await connection.read() {
    case .body(let piece):
      watch.credit(audio: .seconds(1) * Double(piece.readableBytes) / Double(Self.bytesPerSecond))
      return piece
    case .end:
      hasReadAll = true
      return nil
    case .head, nil: throw CancellationError()
    }
  }

  /// Sends a response with its body.
  func respond(
    _ status: HTTPResponseStatus = .ok, type: String?, _ body: [UInt8], fields: HTTPHeaders = [:]
  ) async throws {
    var fields = fields
    if status != .noContent { fields.add(name: "Content-Length", value: "\(body.count)") }
    let start = start(status, type: type, fields: fields)
    let hasBody = head.method != .HEAD && !body.isEmpty
    // One write, because a client may leave when it has the last byte of the body.
    try await write(
      [start] + (hasBody ? [.body(.byteBuffer(ByteBuffer(bytes: body)))] : []) + [.end(nil)])
    isComplete = true
  }

  /// Begins a response whose body is sent in pieces, by `write`.
  func begin(
    _ status: HTTPResponseStatus = .ok, type: String?, fields: HTTPHeaders = [:]
  ) async throws {
    try await write([start(status, type: type, fields: fields)])
  }

  private func start(
    _ status: HTTPResponseStatus, type: String?, fields: HTTPHeaders
  ) -> HTTPServerResponsePart {
    self.status = status
    if !hasReadAll, head.hasBody { isKeptAlive = false }
    var all: HTTPHeaders = ["X-Content-Type-Options": "nosniff"]
    if let type { all.add(name: "Content-Type", value: type) }
    all.add(contentsOf: fields)
    all.add(contentsOf: self.fields)
    if !isKeptAlive { all.add(name: "Connection", value: "close") }
    return .head(HTTPResponseHead(version: head.version, status: status, headers: all))
  }

  /// Sends bytes of the response's body, and waits until there is room for more.
  func write(_ bytes: [UInt8]) async throws {
    guard !bytes.isEmpty else { return }
    try await write([.body(.byteBuffer(ByteBuffer(bytes: bytes)))])
  }

  /// Ends a response that `begin` began, with its last bytes.
  func finish(_ bytes: [UInt8] = []) async throws {
    try await write([.body(.byteBuffer(ByteBuffer(bytes: bytes))), .end(nil)])
    isComplete = true
  }

  /// Sends a fault; if a response has begun, ends the connection instead.
  func respond(with fault: HTTPFault) async throws {
    guard status == nil else {
      // A response that ends early must not look complete.
      isKeptAlive = false
      return
    }
    try await respond(
      fault.status, type: "application/json", fault.body, fields: fault.fields)
  }

  /// Reads what the handler has not read; returns whether the connection can be used further.
  func end() async throws -> Bool {
    // Closing a connection with unread bytes would reset it, and the response would be lost.
    var rest = Self.longestRest
    mustContinue = false
    while !hasReadAll, rest > 0 {
      switch try await connection.read() {
      case .body(let piece): rest -= piece.readableBytes
      case .end: hasReadAll = true
      case .head, nil: return false
      }
    }
    return isKeptAlive && hasReadAll && isComplete
  }

  private func write(_ parts: [HTTPServerResponsePart]) async throws {
    try await watch.waiting { try await connection.output.write(contentsOf: parts) }
  }
}

extension HTTPRequestHead {
  fileprivate var hasBody: Bool {
    headers.contains(name: "Transfer-Encoding")
      || headers["Content-Length"].contains { $0 != "0" }
  }
}

import AudioCore
import AudioThreads
import ClientDependencies
import NIOCore
import NIOHTTP1
import NIOWebSocket
import SpeechClient
import SpeechEngine
import Wyoming

/// Serves HTTP clients, and upgrades realtime sessions to WebSocket.
///
/// A client has no place among the recognizers until its audio is there, so hundreds of idle
/// connections cost little.
final class HTTPService: ListenerProtocol {
  typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
  typealias WebSocket = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

  private enum Upgrade {
    case http(Connection)
    case webSocket(WebSocket, HTTPRequestHead)
  }

  /// The time that a client waits for a place among the recognizers when its audio is there.
  static let placeTimeout = Duration.seconds(30)
  /// The maximum size of a WebSocket message, and of its frames together.
  static let longestMessage = 4 << 20

  let options: SpeechServerOptions
  let clients: ClientTable
  let speechClient: SpeechClient
  private let access: HTTPAccess
  private let hasOnlyMetrics: Bool
  /// The threads that write uploads.
  let uploadThreads = SharedThreadPool(name: "syrinx-upload")

  /// - Parameter hasOnlyMetrics: whether only `/metrics` exists.
  init(options: SpeechServerOptions, clients: ClientTable, hasOnlyMetrics: Bool) {
    @Dependency(\.speechClient) var speechClient
    (self.options, self.clients, self.speechClient) = (options, clients, speechClient)
    access = HTTPAccess(options, hasOnlyMetrics: hasOnlyMetrics)
    self.hasOnlyMetrics = hasOnlyMetrics
  }

  func prepare(_ channel: any Channel) throws {
    // The connection of a peer that has vanished without a word ends after some hours.
    try channel.syncOptions?.setOption(.socketOption(.so_keepalive), value: 1)
  }

  /// Serves a client until it leaves, keeps the server waiting for too long, or changes to
  /// WebSocket and is served there.
  func serve(_ channel: any Channel, client: Int) async {
    @Dependency(\.continuousClock) var clock
    guard let upgrade = await beginReading(channel, as: configure) else { return }
    let upgraded = await withTaskGroup(of: Void.self) { group in
      let watch = PeerWatch(limit: options.idleTimeout, clock: clock)
      group.addTask {
        guard (try? await watch.untilIdle()) != nil else { return }
        channel.close(promise: nil)
      }
      defer { group.cancelAll() }
      return try? await watch.waiting { try await channel.result(of: upgrade) }
    }
    switch upgraded {
    case .http(let connection):
      await serve(connection, client, PeerWatch(limit: options.idleTimeout, clock: clock))
    case .webSocket(let socket, let head): await serveRealtime(socket, head, client: client)
    case nil: channel.close(promise: nil)
    }
  }

  /// Configures a client's channel, and returns what it becomes with its first request.
  @Sendable private func configure(_ channel: any Channel) throws -> EventLoopFuture<Upgrade> {
    let upgrader = NIOTypedWebSocketServerUpgrader<Upgrade>(
      maxFrameSize: Self.longestMessage, enableAutomaticErrorHandling: false,
      shouldUpgrade: { channel, head in
        let protocols = head.headers[canonicalForm: "sec-websocket-protocol"]
        return channel.eventLoop.makeSucceededFuture(
          protocols.contains("realtime") ? ["Sec-WebSocket-Protocol": "realtime"] : [:])
      },
      upgradePipelineHandler: { channel, head in
        channel.eventLoop.makeCompletedFuture {
          try UnfinishedMessage.add(to: channel)
          return .webSocket(try WebSocket(wrappingOnDemand: channel), head)
        }
      })
    var configuration = NIOUpgradableHTTPServerPipelineConfiguration(
      upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(upgraders: [upgrader]) {
        channel in
        channel.eventLoop.makeCompletedFuture { .http(try Connection(wrappingOnDemand: channel)) }
      })
    // `serve` answers one request after the other. NIO's handler would also stop reading until a
    // response is complete, so the server could not detect a disconnected client.
    configuration.enablePipelining = false
    configuration.decoderConfiguration.maxHeaderFieldSize = 1 << 14
    configuration.decoderConfiguration.maxHeaderListSize = 1 << 16
    configuration.decoderConfiguration.maxHeaderFieldCount = 100
    let upgrade = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
      configuration: configuration)
    let pipeline = channel.pipeline.syncOperations
    let upgrading = try pipeline.handler(type: NIOTypedHTTPServerUpgradeHandler<Upgrade>.self)
    try pipeline.addHandler(UpgradeFilter(mayUpgrade), position: .before(upgrading))
    try pipeline.addHandler(ClosingAfterErrors())
    return upgrade
  }

  /// Returns whether a request begins a realtime session; a refused one is answered as any other.
  @Sendable private func mayUpgrade(_ head: HTTPRequestHead) -> Bool {
    func has(_ name: String, _ value: String) -> Bool {
      head.headers[canonicalForm: name].contains { $0.lowercased() == value }
    }
    let keys = head.headers[canonicalForm: "Sec-WebSocket-Key"]
    return !hasOnlyMetrics && head.method == .GET && head.path == "/v1/realtime"
      && has("Upgrade", "websocket") && has("Connection", "upgrade")
      && head.headers["Sec-WebSocket-Version"] == ["13"] && keys.map(\.utf8.count) == [24]
      && (try? access.check(head)) != nil
  }

  /// Answers the requests of a connection one after the other.
  private func serve(_ connection: Connection, _ client: Int, _ watch: PeerWatch) async {
    _ = await firstEnding(
      of: { [self] in
        // An error means that the client has disconnected.
        try? await connection.executeThenClose { input, output in
          let exchanges = HTTPExchanges(client, input, output, watch)
          while let exchange = try await exchanges.next() {
            await answer(exchange)
            guard try await exchange.end() else {
              // Closing at once would drop the bytes that a slow client has not received.
              return try await watch.waiting {
                try await connection.channel.result(of: connection.channel.close(mode: .output))
              }
            }
          }
        }
        return nil
      },
      { await watch.untilFault() },
      {
        await connection.channel.untilClosed()
        return nil
      })
    connection.channel.close(promise: nil)
  }

  /// Answers a request, and reports the response.
  private func answer(_ exchange: HTTPExchange) async {
    @Dependency(\.continuousClock) var clock
    let stopwatch = Stopwatch(clock)
    do {
      do {
        exchange.fields = access.fields(for: exchange.head)
        try access.check(exchange.head)
        try await route(exchange)
      } catch let fault as ServerFault {
        throw HTTPFault(fault)
      }
    } catch let fault as HTTPFault where !Task.isCancelled {
      options.meters.countFault(fault.code ?? "\(fault.status.code)")
      try? await exchange.respond(with: fault)
    } catch {
      // The client has left, and the status is nil.
    }
    // nginx reports a client that leaves with this status, too.
    let status = exchange.isComplete ? exchange.status?.code : nil
    await options.report(
      .responded(
        client: exchange.client, method: exchange.head.method.rawValue, path: exchange.head.path,
        status: Int(status ?? 499), elapsed: stopwatch.elapsed()))
  }

  private func route(_ exchange: HTTPExchange) async throws {
    let (method, path) = (exchange.head.method, exchange.head.path)
    let handler: (methods: [HTTPMethod], handle: (HTTPExchange) async throws -> Void)? =
      switch path {
      case "/metrics": ([.GET], sendMetrics)
      case _ where hasOnlyMetrics: nil
      case "/": ([.GET], sendPage)
      case "/health": ([.GET], sendHealth)
      case "/openapi.json": ([.GET], sendDescription)
      case "/v1/models": ([.GET], sendModels)
      case _ where path.hasPrefix("/v1/models/"): ([.GET], sendModel)
      case "/v1/audio/transcriptions": ([.POST], { try await self.transcribe($0, false) })
      case "/v1/audio/translations": ([.POST], { try await self.transcribe($0, true) })
      case "/v1/realtime": ([.GET], { _ in throw HTTPFault.needsUpgrade })
      default: nil
      }
    guard let handler else {
      throw HTTPFault(.notFound, code: "unknown_url", "there is nothing at \(quoted(path))")
    }
    let methods = handler.methods.contains(.GET) ? handler.methods + [.HEAD] : handler.methods
    if method == .OPTIONS {
      return try await exchange.respond(
        .noContent, type: nil, [], fields: ["Allow": methods.listed + ", OPTIONS"])
    }
    guard methods.contains(method) else {
      throw HTTPFault(
        .methodNotAllowed, code: "method_not_supported",
        "\(quoted(path)) does not support \(quoted(method.rawValue)); use \(methods.listed)",
        fields: ["Allow": methods.listed])
    }
    try await handler.handle(exchange)
  }

  /// Runs `body` when a recognizer is free for the client.
  ///
  /// - Throws: `ServerFault.busy`.
  func withPlace<Result>(
    for exchange: HTTPExchange, _ body: () async throws -> Result
  ) async throws -> Result {
    @Dependency(\.continuousClock) var clock
    // A client that reads slowly is not replaced, because it has sent all its audio.
    let watch = PeerWatch(limit: nil, clock: clock)
    return try await clients.serving(exchange.client, within: Self.placeTimeout, watch) {
      try await watch.recognizing(body)
    }
  }
}

extension HTTPService {
  private func sendMetrics(_ exchange: HTTPExchange) async throws {
    guard let metrics = options.metrics as? PrometheusMetrics else {
      throw HTTPFault(.notFound, "this server's metrics go to another system")
    }
    try await exchange.respond(
      type: "text/plain; version=0.0.4; charset=utf-8", Array(metrics.text.utf8))
  }

  private func sendPage(_ exchange: HTTPExchange) async throws {
    try await exchange.respond(
      type: "text/html; charset=utf-8", PackageResources.Page_html,
      fields: [
        // The page contains its own code and style, and reaches this server only.
        "Content-Security-Policy": """
        default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; \
        connect-src 'self'; media-src blob:; worker-src blob:; img-src data: blob:; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """,
        "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache",
      ])
  }

  private func sendDescription(_ exchange: HTTPExchange) async throws {
    try await exchange.respond(type: "application/json", PackageResources.OpenAPI_json)
  }

  private func sendHealth(_ exchange: HTTPExchange) async throws {
    let (model, error) = await ServerModel.health()
    let body: JSONValue = [
      "status": error == nil ? "ok" : "unavailable", "model": .string(model),
      "reason": error.map(JSONValue.string) ?? .null,
    ]
    try await exchange.respond(
      error == nil ? .ok : .serviceUnavailable, type: "application/json", body.text)
  }

  private func sendModels(_ exchange: HTTPExchange) async throws {
    let models = await ServerModel.installed()
    let list: JSONValue = ["object": "list", "data": .array(models.map(\.value))]
    try await exchange.respond(type: "application/json", list.text)
  }

  private func sendModel(_ exchange: HTTPExchange) async throws {
    let name = String(exchange.head.path.dropFirst("/v1/models/".count))
    guard let model = await ServerModel.installed().first(where: { $0.id == name }) else {
      throw HTTPFault(
        .notFound, param: "model", code: "model_not_found",
        "there is no model \(quoted(name)); GET /v1/models lists them")
    }
    try await exchange.respond(type: "application/json", model.value.text)
  }
}

extension HTTPFault {
  fileprivate static let needsUpgrade = HTTPFault(
    .upgradeRequired, code: "upgrade_required", "this address needs a WebSocket connection",
    fields: ["Upgrade": "websocket"])
}

extension NIOAsyncChannel {
  /// Wraps a channel, whose parts are read on demand; call this on the channel's event loop.
  fileprivate init(wrappingOnDemand channel: any Channel) throws {
    try self.init(
      wrappingChannelSynchronously: channel,
      configuration: Configuration(
        // Reading stops while two pieces of at most 64 KiB wait.
        backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2),
        isOutboundHalfClosureEnabled: false))
  }
}

/// Removes the field `Upgrade` from a connection's first request if the connection stays with HTTP.
///
/// NIO's handler, which comes next, would lose such a request.
private final class UpgradeFilter: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  private let mayUpgrade: (HTTPRequestHead) -> Bool

  init(_ mayUpgrade: @escaping (HTTPRequestHead) -> Bool) {
    self.mayUpgrade = mayUpgrade
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // Later parts are not requests if the connection changes to WebSocket.
    defer { context.pipeline.syncOperations.removeHandler(self, promise: nil) }
    guard case .head(var head) = unwrapInboundIn(data), !mayUpgrade(head) else {
      return context.fireChannelRead(data)
    }
    if head.headers.contains(name: "Upgrade") {
      head.headers.remove(name: "Upgrade")
      // NIO's decoder reads no more requests after this one.
      head.headers.replaceOrAdd(name: "Connection", value: "close")
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}

/// Closes the server's side of a connection on which something else than HTTP has arrived.
///
/// NIO's handler, which has sent the status 400, leaves the connection open.
private final class ClosingAfterErrors: ChannelInboundHandler {
  typealias InboundIn = Never

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is HTTPParserError { context.close(mode: .output, promise: nil) }
    context.fireErrorCaught(error)
  }
}

extension HTTPRequestHead {
  /// The path without the query, and without the host that a client for proxies writes.
  var path: String {
    let target = uri.prefix { $0 != "?" }
    guard let scheme = target.firstRange(of: "://"), !target.hasPrefix("/") else {
      return String(target)
    }
    return String(target[scheme.upperBound...].drop { $0 != "/" })
  }
}

extension [HTTPMethod] {
  fileprivate var listed: String { map(\.rawValue).joined(separator: ", ") }
}

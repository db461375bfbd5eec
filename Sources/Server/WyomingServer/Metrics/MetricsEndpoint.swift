import ClientDependencies
import NIOCore
import NIOHTTP1
import NIOPosix
public import Wyoming

/// Serves metrics to Prometheus over HTTP, at `/metrics`.
public struct MetricsEndpoint: Sendable {
  private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

  /// The maximum number of connections; further ones are closed.
  private static let mostConnections = 16
  /// The time limit for a request and its response.
  private static let requestTimeout = Duration.seconds(2)

  /// The metrics that the endpoint serves.
  public let metrics = PrometheusMetrics()

  private let host: String
  private let port: Int
  private let allowsRemote: Bool

  /// Creates an endpoint at a host and port.
  ///
  /// - Parameters:
  ///   - host: a name or an address of this machine.
  ///   - port: the port; 0 for a port that the system selects.
  ///   - allowsRemote: whether other machines may reach the address.
  public init(host: String, port: Int, allowsRemote: Bool = false) {
    (self.host, self.port, self.allowsRemote) = (host, port, allowsRemote)
  }

  /// Serves until it is canceled.
  ///
  /// - Parameter onListening: called once with the address, including a port selected by the
  ///   system.
  /// - Throws: `WyomingServerError` if it cannot listen.
  public func run(
    onListening: @escaping @Sendable (_ address: WyomingAddress) async -> Void = { _ in }
  ) async throws {
    @Dependency(\.continuousClock) var clock
    let address = try await SocketAddress.resolving(host, port, allowsRemote: allowsRemote)
    try await withEventLoop { [clock] group in
      let listener = try await mappingErrors(at: address) {
        try await ServerBootstrap(group: group)
          .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
          .serverChannelInitializer(pausingAfterFailures)
          // Reading starts when the connection is served.
          .childChannelOption(.autoRead, value: false)
          .bind(to: address) { channel in
            channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.configureHTTPServerPipeline()
              return channel
            }
          }
      }
      if let address = WyomingAddress(listener.channel.localAddress) { await onListening(address) }
      let clients = ClientTable(mostServed: Self.mostConnections, mostPerAddress: nil)
      try await listener.executeThenClose { connections in
        try await withThrowingDiscardingTaskGroup { tasks in
          var client = 0
          for try await connection in connections {
            client += 1
            guard clients.add(client, from: nil) == .served else {
              clients.remove(client)
              connection.close(promise: nil)
              continue
            }
            tasks.addTask { [client] in
              await serve(connection, on: clock)
              clients.remove(client)
            }
          }
        }
      }
    }
  }

  /// Responds to one request, and closes the connection.
  private func serve(_ client: any Channel, on clock: any Clock<Duration>) async {
    let connection = await beginReading(client) {
      try Connection(wrappingChannelSynchronously: $0)
    }
    guard let connection else { return }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        // An error means that the client has disconnected.
        try? await connection.executeThenClose { input, output in
          var request: HTTPRequestHead?
          // Reads the whole request, because closing a connection with unread bytes would reset it,
          // and the response would be lost.
          for try await part in input {
            if case .head(let head) = part { request = head }
            if case .end = part, let request { return try await respond(to: request, output) }
          }
        }
      }
      group.addTask { try? await clock.sleep(for: Self.requestTimeout) }
      await group.next()
      group.cancelAll()
    }
  }

  private func respond(
    to request: HTTPRequestHead, _ output: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
  ) async throws {
    let path = request.uri.prefix { $0 != "?" }
    let (status, text): (HTTPResponseStatus, String) =
      switch (request.method, path) {
      case (.GET, "/metrics"), (.HEAD, "/metrics"): (.ok, metrics.text)
      case (.GET, _), (.HEAD, _): (.notFound, "The metrics are at /metrics.\n")
      default: (.methodNotAllowed, "Use GET or HEAD.\n")
      }
    var fields: HTTPHeaders = [
      "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
      "Content-Length": "\(text.utf8.count)", "Connection": "close",
    ]
    if status == .methodNotAllowed { fields.add(name: "Allow", value: "GET, HEAD") }
    try await output.write(
      .head(HTTPResponseHead(version: .http1_1, status: status, headers: fields)))
    if request.method != .HEAD {
      try await output.write(.body(.byteBuffer(ByteBuffer(string: text))))
    }
    try await output.write(.end(nil))
  }
}

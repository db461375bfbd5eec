import ClientDependencies
import NIOCore
import NIOHTTP1
import NIOPosix
public import Wyoming

/// Answers Prometheus's requests for metrics, over HTTP at `/metrics`.
public struct MetricsEndpoint: Sendable {
  private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

  /// The most connections at once; further ones are closed.
  private static let mostConnections = 16
  /// The time for one request and its answer.
  private static let patience = Duration.seconds(10)

  private let host: String
  private let port: Int
  private let allowsRemote: Bool
  private let metrics: PrometheusMetrics

  /// - Parameters:
  ///   - port: 0 for a port that the system chooses.
  ///   - allowsRemote: whether other machines may reach the address.
  public init(host: String, port: Int, allowsRemote: Bool = false, of metrics: PrometheusMetrics) {
    (self.host, self.port, self.allowsRemote, self.metrics) = (host, port, allowsRemote, metrics)
  }

  /// Serves until it is cancelled.
  ///
  /// - Parameter onListening: called once with the address, with the port that the system chose.
  /// - Throws: `WyomingServerError` if it cannot listen.
  public func run(
    onListening: @escaping @Sendable (_ address: WyomingAddress) async -> Void = { _ in }
  ) async throws {
    @Dependency(\.continuousClock) var clock
    let address = try await SocketAddress.resolving(host, port, allowsRemote: allowsRemote)
    try await withEventLoop { [clock] group in
      let listener = try await listening(on: address) {
        try await ServerBootstrap(group: group)
          .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
          .bind(to: address) { channel in
            channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.configureHTTPServerPipeline()
              return try Connection(wrappingChannelSynchronously: channel)
            }
          }
      }
      if let address = WyomingAddress(listener.channel.localAddress) { await onListening(address) }
      let places = Places(count: Self.mostConnections)
      try await listener.executeThenClose { connections in
        try await withThrowingDiscardingTaskGroup { tasks in
          for try await connection in connections {
            guard places.take() else {
              connection.channel.close(promise: nil)
              continue
            }
            tasks.addTask {
              await serve(connection, on: clock)
              places.giveBack()
            }
          }
        }
      }
    }
  }

  /// Answers one request.
  private func serve(_ connection: Connection, on clock: any Clock<Duration>) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        // An error means that the client has disconnected.
        try? await connection.executeThenClose { input, output in
          for try await case .head(let head) in input { return try await answer(head, output) }
        }
      }
      group.addTask { try? await clock.sleep(for: Self.patience) }
      await group.next()
      group.cancelAll()
    }
  }

  private func answer(
    _ request: HTTPRequestHead, _ output: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
  ) async throws {
    let path = request.uri.prefix { $0 != "?" }
    let (status, text): (HTTPResponseStatus, String) =
      switch (request.method, path) {
      case (.GET, "/metrics"), (.HEAD, "/metrics"): (.ok, metrics.text)
      case (.GET, _), (.HEAD, _): (.notFound, "The metrics are at /metrics.\n")
      default: (.methodNotAllowed, "The metrics can only be read.\n")
      }
    let fields: HTTPHeaders = [
      "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
      "Content-Length": "\(text.utf8.count)", "Connection": "close",
    ]
    try await output.write(
      .head(HTTPResponseHead(version: .http1_1, status: status, headers: fields)))
    if request.method != .HEAD {
      try await output.write(.body(.byteBuffer(ByteBuffer(string: text))))
    }
    try await output.write(.end(nil))
  }
}

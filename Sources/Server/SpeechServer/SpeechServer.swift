import AudioCore
import AudioThreads
import ClientDependencies
public import CoreMetrics
import NIOPosix
public import SpeechClient
import SpeechEngine
public import Wyoming

/// Recognizes speech for other programs, over HTTP, WebSocket, and the Wyoming protocol.
///
/// It recognizes with `\.speechClient` and lists the models of `\.speechEngines`; `run` reads both
/// dependencies. The protocols share one limit of simultaneous recognitions. A client that sends
/// audio faster than it is recognized must wait. Malformed data ends its own connection only.
public struct SpeechServer: Sendable {
  /// A protocol, and the address at which clients connect.
  public enum Endpoint: Hashable, Sendable {
    /// The Wyoming protocol, which Home Assistant speaks.
    ///
    /// `stdio` serves one client on this process's standard input and output.
    case wyoming(WyomingAddress)
    /// OpenAI's transcription API over HTTP and WebSocket, with a page to try it.
    case http(host: String, port: Int)
    /// The metrics for Prometheus alone, over HTTP at `/metrics`.
    case metrics(host: String, port: Int)
  }

  private let endpoints: [Endpoint]
  private let options: SpeechServerOptions

  /// Creates a server for one or more endpoints; port 0 is any free port.
  public init(_ endpoints: [Endpoint], options: SpeechServerOptions = SpeechServerOptions()) {
    (self.endpoints, self.options) = (endpoints, options)
  }

  /// Serves until it is canceled, or until standard input ends.
  ///
  /// When it returns, all connections are closed, and the socket of a Unix address is removed.
  ///
  /// - Parameter onListening: called once for each endpoint when clients can connect. For port 0,
  ///   the endpoint contains the port that the system selected.
  /// - Throws: `SpeechServerError` if it cannot listen.
  public func run(
    onListening: @escaping @Sendable (_ endpoint: Endpoint) async -> Void = { _ in }
  ) async throws {
    @Dependency(\.continuousClock) var clock
    var options = options
    if options.metrics == nil, endpoints.contains(where: \.hasMetrics) {
      options.metrics = PrometheusMetrics()
    }
    options.meters = ServerMetrics(options.metrics ?? MetricsSystem.factory)
    let clients = ClientTable(options)
    try await withEventLoop { [options, clock] group in
      async let _ = returnMemory(whenEmpty: clients, on: clock)
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        // The first endpoint that ends, by an error or at the end of standard input, ends the rest.
        defer { tasks.cancelAll() }
        for endpoint in endpoints {
          tasks.addTask {
            try await serve(endpoint, clients, options, in: group, onListening)
          }
        }
        try await tasks.next()
      }
    }
  }

  private func serve(
    _ endpoint: Endpoint, _ clients: ClientTable, _ options: SpeechServerOptions,
    in group: MultiThreadedEventLoopGroup, _ onListening: @Sendable (Endpoint) async -> Void
  ) async throws {
    switch endpoint {
    case .wyoming(.stdio(command: nil)):
      await onListening(endpoint)
      var options = options
      // Its end would end the other endpoints.
      if endpoints.count > 1 { options.idleTimeout = nil }
      try await serveStandardStreams(options, clients, in: group)
    case .wyoming(.stdio(command: .some)):
      throw SpeechServerError.cannotListen(
        address: "\(endpoint)",
        reason: "a server on standard input and output cannot start a command")
    case .wyoming(let address):
      let listener = try await Listener(address, allowsRemote: options.allowsRemoteClients)
      try await listener.run(
        WyomingProtocol(options: options, clients: clients), numberedBy: clients, in: group,
        announcing: options.announcedName.map { ($0, options.report) }
      ) { await onListening(.wyoming($0)) }
    case .http(let host, let port), .metrics(let host, let port):
      let listener = try await Listener(
        .tcp(host: host, port: port), allowsRemote: options.allowsRemoteClients)
      let service = HTTPService(
        options: options, clients: clients, hasOnlyMetrics: !endpoint.isHTTP)
      try await listener.run(service, numberedBy: clients, in: group) { address in
        guard case .tcp(let host, let port) = address else { return }
        await onListening(
          endpoint.isHTTP ? .http(host: host, port: port) : .metrics(host: host, port: port))
      }
    }
  }
}

extension SpeechServer.Endpoint: CustomStringConvertible {
  /// The address as a URL, such as `http://127.0.0.1:8080`.
  public var description: String {
    switch self {
    case .wyoming(let address): "\(address)"
    case .http(let host, let port):
      "http\("\(WyomingAddress.tcp(host: host, port: port))".dropFirst("tcp".count))"
    case .metrics(let host, let port): "\(Self.http(host: host, port: port))/metrics"
    }
  }

  /// Whether the metrics are read here.
  fileprivate var hasMetrics: Bool { if case .wyoming = self { false } else { true } }

  fileprivate var isHTTP: Bool { if case .http = self { true } else { false } }
}

/// The limits and behavior of a server.
public struct SpeechServerOptions: Sendable {
  /// The maximum number of simultaneous recognizers, over all protocols; by default 4.
  ///
  /// A client takes a place with its first audio; a file over HTTP takes one after its upload. A
  /// Wyoming client keeps it until its connection ends, a WebSocket until its client commits the
  /// audio. A further client waits half a second, a file 30 seconds. It replaces the client that has
  /// sent no audio for the longest time, if that is at least a second. A replaced Wyoming client gets
  /// an `error` event with the code `idle`; a replaced WebSocket gets its words, and takes a place
  /// again with its next audio. A client that gets no place, or finds 64 clients waiting, gets an
  /// `error` event with the code `busy`, or over HTTP the status 429.
  ///
  /// Clients without audio need no place. At most 500 clients are connected, 400 from one IP address;
  /// further connections are closed.
  public var maximumConnections = 4

  /// The maximum number of simultaneous recognizers for one IP address, including waiting clients;
  /// nil for 16 more than `maximumConnections`.
  ///
  /// Additional clients get the code `busy` at once. A client that has just disconnected may still
  /// count.
  public var maximumConnectionsPerAddress: Int?

  /// The time limit for a client that sends no audio or reads no events; by default 30 s.
  ///
  /// Nil for no limit.
  ///
  /// A second of audio, or 32 KiB of an upload, restores the whole limit, and less restores a part
  /// of it. The time of recognition does not count. After the limit, a Wyoming client gets an `error`
  /// event with the code `idle`, and its connection ends; an HTTP connection ends without an event. A
  /// WebSocket gives its place back, and stays connected; it ends only if its client does not read,
  /// or does not end a message, for this time. On standard input and output, set nil if the program
  /// keeps its server running between utterances.
  public var idleTimeout: Duration? = .seconds(30)

  /// The size limits of a Wyoming client's frames.
  public var limits = WyomingLimits(header: 1 << 16, data: 1 << 18, payload: 1 << 20)

  /// Whether clients on other machines may connect; by default they may not.
  ///
  /// The Wyoming protocol has neither passwords nor encryption; over HTTP, set `apiKeys`.
  public var allowsRemoteClients = false

  /// The keys that HTTP and WebSocket clients must send one of, as `Authorization: Bearer KEY`;
  /// empty for no keys.
  public var apiKeys: [String] = []

  /// The origins of web pages on other hosts that may use the server, such as
  /// `https://app.example.com`, or `*` for all; empty for none.
  public var allowedOrigins: [String] = []

  /// The names of this server besides `localhost` and IP addresses that browsers may use, such as
  /// that of a reverse proxy; without keys, requests for other names get the status 403.
  ///
  /// This keeps web pages from reaching the server by a name that they have pointed to it.
  public var allowedHosts: [String] = []

  /// The maximum size of an uploaded file in bytes; by default 512 MiB.
  public var uploadLimit = 512 << 20

  /// The name under which Avahi announces the Wyoming server in the local network, at most 63
  /// bytes; nil for no announcement.
  ///
  /// The announcement (DNS-SD type `_wyoming._tcp`) lets Home Assistant find the server. The
  /// announcement ends with the server. An address that other machines cannot reach is not
  /// announced. On a machine without Avahi, the server runs without an announcement. Both cases are
  /// reported.
  public var announcedName: String?

  /// Changes the request for a client's audio.
  ///
  /// It may add parameters that clients cannot send: an endpointing policy, a grammar, or a default
  /// language.
  public var prepare: @Sendable (_ request: SpeechRequest) -> SpeechRequest = { $0 }

  /// Called with each event, for a log; does nothing by default.
  ///
  /// The client that caused the event waits until the closure returns.
  public var report: @Sendable (_ report: SpeechServerReport) async -> Void = { _ in }

  /// The system that receives the server's metrics.
  ///
  /// Nil for `PrometheusMetrics` if an endpoint has `/metrics`. Otherwise nil for the program's own
  /// metrics system, which drops all values unless it was bootstrapped.
  ///
  /// The module's page lists the metrics.
  public var metrics: (any MetricsFactory)?
  /// The metrics of a running server.
  var meters = ServerMetrics(NOOPMetricsHandler.instance)

  /// Creates the default options.
  public init() {}
}

/// The reason that a server cannot listen.
public enum SpeechServerError: Error, Equatable {
  /// Other machines can reach the address, which is not allowed.
  case remoteAddress(String)
  /// A process already listens at the address, or the file is not a socket.
  case addressInUse(String)
  /// The system rejects the address, for the given reason.
  case cannotListen(address: String, reason: String)
}

extension SpeechServerError: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    switch self {
    case .remoteAddress(let address):
      "\(address) can be reached from other machines: listen on 127.0.0.1, or allow remote clients"
    case .addressInUse(let address): "\(address) is in use; listen on another address"
    case .cannotListen(let address, let reason): "cannot listen on \(address): \(reason)"
    }
  }
}

/// An event that a server reports to its owner, for a log.
///
/// Reports contain no transcripts. Clients are numbered from 1 in the order in which they connect.
public enum SpeechServerReport: Equatable, Sendable {
  /// A Wyoming or WebSocket client has connected.
  ///
  /// For a client on a Unix socket, which has no address, the address is the server's.
  case connected(client: Int, from: WyomingAddress)

  /// A client got a transcript for this much audio.
  ///
  /// `elapsed` is the time from the beginning of the audio to the transcript. For live audio, the
  /// excess over `audio` is the time that the speaker waits.
  case recognized(client: Int, audio: Duration, elapsed: Duration)

  /// An HTTP client got a response with this status; 499 if it left before the response.
  case responded(client: Int, method: String, path: String, status: Int, elapsed: Duration)

  /// Part of a client's audio was not recognized.
  ///
  /// The Wyoming protocol cannot report this. If the engine failed, the transcript contains only
  /// the words that were sent as chunks. Times are measured from the beginning of the client's
  /// audio.
  case dropped(client: Int, Range<Duration>, reason: SpeechRecognitionEvent.DropReason)

  /// A fault ended a client's connection.
  ///
  /// The code and the reason are those of the client's `error` event.
  case failed(client: Int, code: String, reason: String)

  /// The server is announced in the local network.
  ///
  /// The name differs from the requested name if another service uses the requested name.
  case announced(name: String)

  /// The server is not announced; clients can connect if they are configured with its address.
  case notAnnounced(reason: String)
}

/// The version of Syrinx, reported by `syrinx --version` and the server's `info` event.
public enum SyrinxVersion {
  /// The current version, which is the changelog's first entry.
  public static let current = "0.2.0"

  /// The web page of Syrinx; a placeholder for now.
  static let homepage = "https://example.com/syrinx"
}

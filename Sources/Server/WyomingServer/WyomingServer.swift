import AudioCore
import ClientDependencies
public import CoreMetrics
public import SpeechClient
public import Wyoming

/// Recognizes speech for clients of the Wyoming protocol, such as Home Assistant.
///
/// It recognizes with `\.speechClient` and lists the models of `\.speechEngine`; `run` reads both
/// dependencies. Each connection has its own recognitions. A client that sends audio faster than it
/// is recognized must wait. A malformed frame causes an `error` event and ends its connection, but
/// not the other connections.
///
/// During the audio, `transcript-chunk` events contain the stable words, and `voice-started` and
/// `voice-stopped` mark speech. `transcript` has the final text of all utterances between
/// `audio-start` and `audio-stop`; without utterances, the text is empty.
public struct WyomingServer: Sendable {
  private let address: WyomingAddress
  private let options: WyomingServerOptions

  /// Creates a server for an address.
  ///
  /// `stdio` serves one client on this process's standard input and output.
  public init(address: WyomingAddress, options: WyomingServerOptions = WyomingServerOptions()) {
    (self.address, self.options) = (address, options)
  }

  /// Serves until it is canceled, or until standard input ends.
  ///
  /// When it returns, all connections are closed, and the socket of a Unix address is removed.
  ///
  /// - Parameter onListening: called once clients can connect, with their address. For port 0, the
  ///   address contains the port that the system selected.
  /// - Throws: `WyomingServerError` if it cannot listen.
  public func run(
    onListening: @escaping @Sendable (_ address: WyomingAddress) async -> Void = { _ in }
  ) async throws {
    var options = options
    options.meters = ServerMetrics(options.metrics ?? MetricsSystem.factory)
    switch address {
    case .tcp(let host, let port):
      let listener = try await Listener(
        host: host, port: port, allowsRemote: options.allowsRemoteClients)
      try await listener.run(options, onListening)
    case .unix(let path): try await Listener(path: path).run(options, onListening)
    case .stdio(command: nil):
      await onListening(address)
      try await serveStandardStreams(options)
    case .stdio(command: .some):
      throw WyomingServerError.cannotListen(
        address: "\(address)",
        reason: "a server on standard input and output cannot start a command")
    }
  }
}

/// The limits and behavior of a server.
public struct WyomingServerOptions: Sendable {
  /// The maximum number of simultaneous connections, each with its own recognizer; by default 4.
  ///
  /// A further client waits half a second for a free connection. If it sends audio or requests the
  /// models in this time, it replaces the client that has sent no audio for the longest time, if
  /// that is at least a second. The replaced client gets an `error` event with the code `idle`.
  ///
  /// A client that gets no connection receives an `error` event with the code `busy`, and has five
  /// seconds to disconnect. While 64 clients wait, additional clients receive the event at once,
  /// have one second to disconnect, and are not reported. While 256 clients have not yet
  /// disconnected, additional clients are disconnected without an event.
  public var maximumConnections = 4

  /// The maximum number of simultaneous connections from one IP address, including waiting ones;
  /// nil for 16 more than `maximumConnections`.
  ///
  /// Additional clients get an `error` event with the code `busy` at once. A client that has just
  /// disconnected may still count.
  public var maximumConnectionsPerAddress: Int?

  /// The time limit for a client that sends no audio or reads no events; by default 30 s.
  ///
  /// Nil for no limit.
  ///
  /// A second of audio restores the whole limit, and less audio restores a part of it. The time of
  /// recognition does not count. After the limit, the client gets an `error` event with the code
  /// `idle`, and its connection ends. On standard input and output, set nil if the program keeps
  /// its server running between utterances.
  public var idleTimeout: Duration? = .seconds(30)

  /// The size limits of a client's frames.
  public var limits = WyomingLimits(header: 1 << 16, data: 1 << 18, payload: 1 << 20)

  /// Whether clients on other machines may connect; by default they may not.
  ///
  /// The protocol has neither passwords nor encryption.
  public var allowsRemoteClients = false

  /// The name under which Avahi announces the server in the local network, at most 63 bytes; nil
  /// for no announcement.
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
  public var report: @Sendable (_ report: WyomingServerReport) async -> Void = { _ in }

  /// The system that receives the server's metrics; nil for the program's own metrics system, which
  /// drops all values unless it was bootstrapped.
  ///
  /// The module's page lists the metrics. `PrometheusMetrics` keeps them for Prometheus.
  public var metrics: (any MetricsFactory)?
  /// The metrics of a running server.
  var meters = ServerMetrics(NOOPMetricsHandler.instance)

  /// Creates the default options.
  public init() {}
}

/// The reason that a server cannot listen.
public enum WyomingServerError: Error, Equatable {
  /// Other machines can reach the address, which is not allowed.
  case remoteAddress(String)
  /// A process already listens at the address, or the file is not a socket.
  case addressInUse(String)
  /// The system rejects the address, for the given reason.
  case cannotListen(address: String, reason: String)
}

extension WyomingServerError: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    switch self {
    case .remoteAddress(let address):
      """
      \(address) can be reached from other machines, and the protocol has no passwords: listen on \
      127.0.0.1, or allow remote clients
      """
    case .addressInUse(let address): "\(address) is in use; listen on another address"
    case .cannotListen(let address, let reason): "cannot listen on \(address): \(reason)"
    }
  }
}

/// An event that a server reports to its owner, for a log.
///
/// Reports contain no transcripts. Clients are numbered from 1 in the order in which they connect.
public enum WyomingServerReport: Equatable, Sendable {
  /// A client has connected.
  ///
  /// For a client on a Unix socket, which has no address, the address is the server's.
  case connected(client: Int, from: WyomingAddress)

  /// A client got a transcript for this much audio.
  ///
  /// `elapsed` is the time from `audio-start` to the transcript. For live audio, the excess over
  /// `audio` is the time that the speaker waits.
  case recognized(client: Int, audio: Duration, elapsed: Duration)

  /// Part of a client's audio was not recognized.
  ///
  /// The protocol cannot report this. If the engine failed, the transcript contains only the words
  /// that were sent as chunks. Times are measured from the client's `audio-start`.
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

/// The metrics of a server; the module's page describes them.
struct ServerMetrics: Sendable {
  let clients: Meter
  let wait: Timer
  let refusals: Counter
  let requests: Counter
  let utterances: Counter
  let audio: FloatingPointCounter
  let realTimeFactor: Recorder
  private let factory: any MetricsFactory

  init(_ factory: any MetricsFactory) {
    self.factory = factory
    clients = Meter(label: "syrinx_clients", factory: factory)
    wait = Timer(label: "syrinx_wait_seconds", factory: factory)
    refusals = Counter(label: "syrinx_refusals_total", factory: factory)
    requests = Counter(label: "syrinx_requests_total", factory: factory)
    utterances = Counter(label: "syrinx_utterances_total", factory: factory)
    audio = FloatingPointCounter(label: "syrinx_audio_seconds_total", factory: factory)
    realTimeFactor = Recorder(label: "syrinx_real_time_factor", factory: factory)
  }

  /// Records the duration of a transcript's audio, and the real-time factor of its recognition.
  func recordTranscript(of audio: Duration, after elapsed: Duration) {
    self.audio.increment(by: audio.inSeconds)
    if audio > .zero { realTimeFactor.record(elapsed / audio) }
  }

  /// Counts audio that was not recognized, by the reason.
  func recordLoss(of audio: Duration, _ reason: SpeechRecognitionEvent.DropReason) {
    FloatingPointCounter(
      label: "syrinx_dropped_audio_seconds_total", dimensions: [("reason", reason.name)],
      factory: factory
    ).increment(by: audio.inSeconds)
  }

  /// Counts a fault that ended a connection, by the code of the client's `error` event.
  func countFault(_ code: String) {
    Counter(label: "syrinx_faults_total", dimensions: [("code", code)], factory: factory)
      .increment()
  }
}

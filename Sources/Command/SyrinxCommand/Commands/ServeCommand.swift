import ArgumentParser
import ClientDependencies
import SpeechClient
import Wyoming
import WyomingServer

/// `syrinx serve`: offers the recognizer to other programs and machines.
struct ServeCommand: RecognizingSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Recognize speech for Home Assistant and other clients of the Wyoming protocol.",
    discussion: """
      Examples:
        syrinx serve
        syrinx serve --wyoming tcp://0.0.0.0:10300 --allow-remote --zeroconf
        syrinx serve --wyoming unix:///run/user/1000/syrinx

      The server runs until Ctrl-C or SIGTERM, which end it at once with status 0. On standard input \
      it serves one client until the input ends. Each connection has its own recognizer of about 100 \
      MB while it works. A client that sends malformed or oversized data, or nothing for too long, \
      gets an error event and is disconnected; other clients are not affected. Audio in which the \
      engine failed is missing from the transcript.

      \(JSONRecord.serverSchema) On stdio, only losses, faults, and the address of the metrics are written.

      Clients get stable words while they speak, and the whole text after audio-stop. Audio of any \
      rate, 8 to 32 bits (integers), and any number of channels is converted.

      The protocol has neither passwords nor encryption: only this machine can connect unless \
      --allow-remote is given.

      \(EngineName.help)
      """)

  @Option(
    help: .value(
      "address",
      """
      Address to listen on: tcp://host:port (port 0 for any free port), unix:///path, or stdio for \
      a client on standard input and output.
      """))
  var wyoming = "\(WyomingAddress.usual)"

  @Flag(help: "Allow addresses that other machines can reach.")
  var allowRemote = false

  @Option(
    defaultAsFlag: "syrinx",
    help: .value(
      "name",
      """
      Announce the server in the local network, so that Home Assistant finds it, under this name \
      (needs Avahi).
      """))
  var zeroconf: String?

  @Option(
    parsing: .unconditional,
    help: .value("count", "Maximum number of connected clients, 1 to 1000 (default: 4)."))
  var connections: Int?

  @Option(
    parsing: .unconditional,
    help: .value(
      "count",
      """
      Maximum number of clients from one IP address that are connected or wait, 1 to 1000 (default: 16 \
      more than --connections).
      """))
  var connectionsPerAddress: Int?

  @Option(
    parsing: .unconditional,
    help: .value(
      "time",
      """
      Time that a client may stay connected without sending audio, 0.1 to 86400 (default: 30; no \
      limit on stdio).
      """), transform: TimeValue.seconds)
  var idleTimeout: Double?

  @Option(
    parsing: .unconditional,
    help: .value("bytes", "Maximum size of the header line of a client's frame (default: 65536)."),
    transform: Int.byteCount)
  var headerLimit: Int?

  @Option(
    parsing: .unconditional,
    help: .value("bytes", "Maximum size of the data in a client's frame (default: 262144)."),
    transform: Int.byteCount)
  var dataLimit: Int?

  @Option(
    parsing: .unconditional,
    help: .value("bytes", "Maximum size of the audio in a client's frame (default: 1048576)."),
    transform: Int.byteCount)
  var payloadLimit: Int?

  @Option(help: .value("format", "Format of the log on standard error."))
  var logFormat = ServerLog.Format.text

  @Option(
    help: .value(
      "address",
      """
      Address of the metrics for Prometheus, such as tcp://127.0.0.1:9400 (HTTP, path /metrics).
      """))
  var metrics: String?

  @OptionGroup var recognition: SpeechOptions

  @OptionGroup var engine: EngineOptions

  @OptionGroup var common: CommonOptions

  func validate() throws {
    try checkAnnouncement(of: try address())
    _ = try metricsEndpoint()
    try check("--connections", connections, in: 1...1000, "a number of connections")
    try check(
      "--connections-per-address", connectionsPerAddress, in: 1...1000, "a number of connections")
    try check("--idle-timeout", idleTimeout, in: 0.1...86_400, "seconds")
    try require(
      recognition.alternatives == nil,
      "--alternatives cannot be used: the Wyoming protocol has no alternatives.")
  }

  func perform(in context: CommandContext) async throws {
    @Dependency(\.speechClient) var speech
    let prepare = try await recognition.preparation()
    let address = try address()
    let log = ServerLog(
      console: context.console, format: logFormat, onlyErrors: address == .stdio(command: nil))
    try await makeReady(speech, notify: log.writeNotice)
    var options = options(for: address)
    options.prepare = prepare
    options.report = log.write
    let endpoint = try metricsEndpoint()
    options.metrics = endpoint?.metrics
    let server = WyomingServer(address: address, options: options)
    try await context.canceledBySignals { [endpoint] in
      do {
        try await withThrowingTaskGroup { group in
          group.addTask { try await server.run(onListening: log.writeListening) }
          if let endpoint {
            group.addTask { try await endpoint.run(onListening: log.writeMetrics) }
          }
          // When one task ends, by an error or at the end of standard input, cancel the other task.
          defer { group.cancelAll() }
          try await group.next()
        }
      } catch is CancellationError {
        // A signal canceled the server, which is not an error.
      }
    }
  }

  /// Returns the endpoint for `--metrics`; nil if that option is missing.
  private func metricsEndpoint() throws -> MetricsEndpoint? {
    guard let metrics else { return nil }
    // An address without a port gets the Wyoming server's port, so the port must be explicit.
    guard case .tcp(let host, let port) = WyomingAddress(metrics), metrics.hasSuffix(":\(port)")
    else {
      throw ValidationError("--metrics \(metrics) is not a TCP address; use tcp://host:port.")
    }
    return MetricsEndpoint(host: host, port: port, allowsRemote: allowRemote)
  }

  private func checkAnnouncement(of address: WyomingAddress) throws {
    guard let zeroconf else { return }
    try require(
      (1...63).contains(zeroconf.utf8.count),
      "--zeroconf \(zeroconf) is not a name of 1 to 63 bytes.")
    guard case .tcp = address else {
      throw ValidationError("--zeroconf cannot announce \(address); use tcp://host:port.")
    }
  }

  private func address() throws -> WyomingAddress {
    guard let address = WyomingAddress(wyoming) else {
      throw ValidationError(
        "--wyoming \(wyoming) is not an address; use tcp://host:port, unix:///path, or stdio.")
    }
    if case .stdio(command: .some) = address {
      throw ValidationError("--wyoming \(wyoming): a server cannot start a command; use stdio.")
    }
    return address
  }

  private func options(for address: WyomingAddress) -> WyomingServerOptions {
    var options = WyomingServerOptions()
    options.allowsRemoteClients = allowRemote
    options.announcedName = zeroconf
    if let connections { options.maximumConnections = connections }
    if let connectionsPerAddress { options.maximumConnectionsPerAddress = connectionsPerAddress }
    if case .stdio = address { options.idleTimeout = nil }
    if let idleTimeout { options.idleTimeout = .seconds(idleTimeout) }
    if let headerLimit { options.limits.header = headerLimit }
    if let dataLimit { options.limits.data = dataLimit }
    if let payloadLimit { options.limits.payload = payloadLimit }
    return options
  }
}

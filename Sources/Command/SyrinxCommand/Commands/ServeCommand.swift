import ArgumentParser
import ClientDependencies
import FilePaths
import SpeechClient
import SpeechEngine
import SpeechServer
import Wyoming

/// `syrinx serve`: offers the recognizer to other programs and machines.
struct ServeCommand: RecognizingSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Recognize speech for other programs: OpenAI's API over HTTP, or Home Assistant.",
    discussion: """
      Examples:
        syrinx serve --http
        syrinx serve --http tcp://0.0.0.0:8080 --allow-remote --api-key-file keys.txt
        syrinx serve --wyoming tcp://0.0.0.0:10300 --allow-remote --zeroconf

      --http offers OpenAI's transcription API at http://127.0.0.1:8080/v1, the live API at \
      /v1/realtime, and a page to try both at /. --wyoming serves Home Assistant and other clients of \
      the Wyoming protocol. Without either option, --wyoming is the default; both serve both.

      The server runs until Ctrl-C or SIGTERM, which end it at once with status 0. On standard input \
      it serves one client until the input ends. Each recognizer takes about 100 MB while it works. A \
      client that sends malformed or oversized data, or nothing for too long, gets an error and is \
      disconnected; other clients are not affected. Audio in which the engine failed is missing from \
      the transcript. Audio is never stored.

      \(JSONRecord.serverSchema) On stdio, only losses, faults, and the address of the metrics are written.

      Wyoming clients get stable words while they speak, and the whole text after audio-stop. Audio of \
      any rate, 8 to 32 bits (integers), and any number of channels is converted.

      Only this machine can connect unless --allow-remote is given. The Wyoming protocol has neither \
      passwords nor encryption; HTTP has API keys, and a reverse proxy adds encryption.

      \(EngineName.help)
      """)

  @Option(
    defaultAsFlag: "tcp://127.0.0.1:8080",
    help: .value(
      "address",
      """
      Serve HTTP and WebSocket at tcp://host:port, by default tcp://127.0.0.1:8080 (port 0 for any \
      free port).
      """))
  var http: String?

  @Option(
    defaultAsFlag: "\(WyomingAddress.usual)",
    help: .value(
      "address",
      """
      Serve the Wyoming protocol at tcp://host:port, by default tcp://127.0.0.1:10300, at \
      unix:///path, or with stdio for a client on standard input and output.
      """))
  var wyoming: String?

  @Flag(help: "Allow addresses that other machines can reach.")
  var allowRemote = false

  @Option(
    help: .value(
      "file",
      """
      File of the API keys that HTTP clients must send one of, one on each line; lines that begin \
      with # are ignored. --http with --allow-remote requires it.
      """))
  var apiKeyFile: FilePath?

  @Flag(
    name: .customLong("no-api-key"),
    help: "Let HTTP clients on other machines connect without an API key.")
  var allowsNoKey = false

  @Option(
    parsing: .singleValue,
    help: .value(
      "origin",
      """
      Let web pages of this origin use the server, such as https://app.example.com, or * for all \
      (repeatable).
      """))
  var corsOrigin: [String] = []

  @Option(
    parsing: .singleValue,
    help: .value(
      "name",
      """
      Accept HTTP requests for this name besides localhost and IP addresses, such as the name of a \
      reverse proxy (repeatable).
      """))
  var allowedHost: [String] = []

  @Option(
    parsing: .unconditional,
    help: .value(
      "bytes", "Maximum size of a file that an HTTP client uploads (default: 536870912)."),
    transform: Int.byteCount)
  var uploadLimit: Int?

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
    help: .value("count", "Maximum number of simultaneous recognizers, 1 to 1000 (default: 4)."))
  var connections: Int?

  @Option(
    parsing: .unconditional,
    help: .value(
      "count",
      """
      Maximum number of clients of one IP address that recognize or wait, 1 to 1000 (default: 16 more \
      than --connections).
      """))
  var connectionsPerAddress: Int?

  @Option(
    parsing: .unconditional,
    help: .value(
      "time",
      """
      Time for which a client may send no audio or read no events, 0.1 to 86400 (default: 30; no limit \
      on stdio; a WebSocket then gives its recognizer back).
      """), transform: TimeValue.seconds)
  var idleTimeout: Double?

  @Option(
    parsing: .unconditional,
    help: .value(
      "bytes", "Maximum size of the header line of a Wyoming client's frame (default: 65536)."),
    transform: Int.byteCount)
  var headerLimit: Int?

  @Option(
    parsing: .unconditional,
    help: .value(
      "bytes", "Maximum size of the data in a Wyoming client's frame (default: 262144)."),
    transform: Int.byteCount)
  var dataLimit: Int?

  @Option(
    parsing: .unconditional,
    help: .value(
      "bytes", "Maximum size of the audio in a Wyoming client's frame (default: 1048576)."),
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
    _ = try endpoints()
    try checkAnnouncement()
    try require(
      apiKeyFile == nil || !allowsNoKey,
      "--api-key-file and --no-api-key exclude each other; use one of them.")
    if http == nil {
      let given = [
        "--api-key-file": apiKeyFile != nil, "--no-api-key": allowsNoKey,
        "--cors-origin": !corsOrigin.isEmpty, "--allowed-host": !allowedHost.isEmpty,
        "--upload-limit": uploadLimit != nil,
      ]
      for (option, isGiven) in given.sorted(by: { $0.key < $1.key }) where isGiven {
        throw ValidationError("\(option) requires --http.")
      }
    } else if allowRemote {
      try require(
        apiKeyFile != nil || allowsNoKey,
        "--http with --allow-remote needs --api-key-file, or --no-api-key to serve everyone.")
    }
    for origin in corsOrigin {
      try require(
        origin == "*" || origin.wholeMatch(of: /https?:\/\/[^\/?#@\s]+/) != nil,
        "--cors-origin \(origin) is not an origin; use https://host, or * for all.")
    }
    try check("--connections", connections, in: 1...1000, "a number of connections")
    try check(
      "--connections-per-address", connectionsPerAddress, in: 1...1000, "a number of connections")
    try check("--idle-timeout", idleTimeout, in: 0.1...86_400, "seconds")
    try require(
      recognition.alternatives == nil,
      "--alternatives cannot be used: a server's results have no alternatives.")
  }

  func prepare(_ values: inout DependencyValues) throws {
    try engine.apply(to: &values, language: recognition.language)
    // Clients over HTTP may choose another engine by its name.
    let makers = values.engineMakers.named
    values.speechEngines = makers.map { $0.make(EngineSettings()) }
  }

  func perform(in context: CommandContext) async throws {
    @Dependency(\.speechClient) var speech
    let prepare = try await recognition.preparation()
    let endpoints = try endpoints()
    let log = ServerLog(
      console: context.console, format: logFormat, onlyErrors: endpoints.contains(.standardStreams))
    try await makeReady(speech, notify: log.writeNotice)
    var options = options(for: endpoints)
    options.prepare = prepare
    options.report = log.write
    if let apiKeyFile { options.apiKeys = try await Self.keys(in: apiKeyFile) }
    let server = SpeechServer(endpoints, options: options)
    try await context.canceledBySignals {
      do {
        try await server.run(onListening: log.writeListening)
      } catch is CancellationError {
        // A signal canceled the server, which is not an error.
      }
    }
  }

  /// Returns what the options ask to serve, at least one endpoint.
  private func endpoints() throws -> [SpeechServer.Endpoint] {
    var endpoints: [SpeechServer.Endpoint] = []
    if let http {
      let (host, port) = try Self.address(http, of: "--http")
      endpoints.append(.http(host: host, port: port))
    }
    if let wyoming = wyoming ?? (http == nil ? "\(WyomingAddress.usual)" : nil) {
      endpoints.append(.wyoming(try Self.wyomingAddress(wyoming)))
    }
    if let metrics {
      let (host, port) = try Self.address(metrics, of: "--metrics")
      endpoints.append(.metrics(host: host, port: port))
    }
    return endpoints
  }

  private static func address(
    _ text: String, of option: String
  ) throws -> (host: String, port: Int) {
    // An address without a port gets the Wyoming server's port, so the port must be explicit.
    guard case .tcp(let host, let port) = WyomingAddress(text), text.hasSuffix(":\(port)") else {
      throw ValidationError("\(option) \(text) is not a TCP address; use tcp://host:port.")
    }
    return (host, port)
  }

  private static func wyomingAddress(_ text: String) throws -> WyomingAddress {
    guard let address = WyomingAddress(text) else {
      throw ValidationError(
        "--wyoming \(text) is not an address; use tcp://host:port, unix:///path, or stdio.")
    }
    if case .stdio(command: .some) = address {
      throw ValidationError("--wyoming \(text): a server cannot start a command; use stdio.")
    }
    return address
  }

  private func checkAnnouncement() throws {
    guard let zeroconf else { return }
    try require(
      (1...63).contains(zeroconf.utf8.count),
      "--zeroconf \(zeroconf) is not a name of 1 to 63 bytes.")
    for case .wyoming(let address) in try endpoints() {
      guard case .tcp = address else {
        throw ValidationError("--zeroconf cannot announce \(address); use tcp://host:port.")
      }
      return
    }
    throw ValidationError("--zeroconf announces a Wyoming server; add --wyoming.")
  }

  /// Reads the keys of a file.
  private static func keys(in file: FilePath) async throws -> [String] {
    let keys = try await file.readText(atMost: 1 << 20).entries
    guard !keys.isEmpty else { throw CommandFailure("\(file) holds no API key") }
    return keys
  }

  private func options(for endpoints: [SpeechServer.Endpoint]) -> SpeechServerOptions {
    var options = SpeechServerOptions()
    options.allowsRemoteClients = allowRemote
    options.allowedOrigins = corsOrigin
    options.allowedHosts = allowedHost
    options.announcedName = zeroconf
    if let uploadLimit { options.uploadLimit = uploadLimit }
    if let connections { options.maximumConnections = connections }
    if let connectionsPerAddress { options.maximumConnectionsPerAddress = connectionsPerAddress }
    if endpoints == [.standardStreams] { options.idleTimeout = nil }
    if let idleTimeout { options.idleTimeout = .seconds(idleTimeout) }
    if let headerLimit { options.limits.header = headerLimit }
    if let dataLimit { options.limits.data = dataLimit }
    if let payloadLimit { options.limits.payload = payloadLimit }
    return options
  }
}

extension SpeechServer.Endpoint {
  /// One client on standard input and output.
  fileprivate static let standardStreams = Self.wyoming(.stdio(command: nil))
}

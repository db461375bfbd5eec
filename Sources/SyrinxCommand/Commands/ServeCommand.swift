import ArgumentParser
import ClientDependencies
import SpeechClient
import Wyoming
import WyomingServer

/// `syrinx serve`: the recogniser for programs on this machine, or on others.
struct ServeCommand: RecognisingSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Recognises speech for Home Assistant and other clients of the Wyoming protocol.",
    discussion: """
      It serves until Ctrl-C or SIGTERM, and then ends at once, with status 0; on standard input it \
      serves one client until that ends. Each connection has a recogniser of its own, of some 100 MB \
      while it works. A client that sends something malformed, too large, or nothing for too long gets \
      an error event, and its connection ends; the others go on. What a client said and the engine \
      failed in is missing in its transcript; standard error says so.

      Clients get the words that do not change any more while they speak, and the whole text after \
      audio-stop. Audio of any rate, of 8 to 32 bits and of any number of channels is converted.

      The protocol has neither passwords nor encryption: only this machine can connect unless \
      --allow-remote is given.

      \(EngineName.help)
      """)

  @Option(
    help: ArgumentHelp(
      """
      Where to listen: tcp://127.0.0.1:10300 (port 0 for one that is free), unix:///path, or stdio \
      for a client on standard input and output.
      """, valueName: "address"))
  var wyoming: String

  @Flag(help: "Listen where other machines can connect as well.")
  var allowRemote = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How many clients may be connected at once, 1 to 1000 (4).", valueName: "count"))
  var connections: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Seconds that a client may stay without sending audio, 0.1 to 86400 (default: 30; no limit on \
      stdio).
      """, valueName: "seconds"))
  var idleTimeout: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The longest first line of a frame that a client may send, in bytes (65536).",
      valueName: "bytes"))
  var headerLimit: ByteSize?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The most data in a frame that a client may send, in bytes (262144).", valueName: "bytes"))
  var dataLimit: ByteSize?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The most audio in a frame that a client may send, in bytes (1048576).", valueName: "bytes"))
  var payloadLimit: ByteSize?

  @OptionGroup var recognition: SpeechOptions

  @OptionGroup var engine: EngineOptions

  @OptionGroup var common: CommonOptions

  func validate() throws {
    _ = try address()
    try check("--connections", connections, in: 1...1000, "a number of connections")
    try check("--idle-timeout", idleTimeout, in: 0.1...86_400, "seconds")
    guard recognition.alternatives == nil else {
      throw ValidationError(
        "--alternatives: the protocol has no place for other readings; leave it out.")
    }
  }

  func perform(in context: CommandContext) async throws {
    @Dependency(\.speechClient) var speech
    try await speech.makeReady(for: recognition)
    var options = try options(in: context)
    options.prepare = try await recognition.preparation()
    let server = WyomingServer(address: try address(), options: options)
    let serving = Task {
      try await server.run { address in
        // A child's standard error is for what goes wrong.
        if case .stdio = address { return }
        await context.console.report("listening on \(address); Ctrl-C ends it")
      }
    }
    try await context.signals.finishing(with: { serving.cancel() }) {
      do {
        try await serving.value
      } catch is CancellationError {
        // That is how a signal ends it.
      }
    }
  }

  private func address() throws -> WyomingAddress {
    guard let address = WyomingAddress(wyoming) else {
      throw ValidationError(
        "--wyoming \(wyoming) is no address; give tcp://host:port, unix:///path or stdio.")
    }
    if case .stdio(command: .some) = address {
      throw ValidationError("--wyoming \(wyoming): a server starts no command; give stdio.")
    }
    return address
  }

  private func options(in context: CommandContext) throws -> WyomingServerOptions {
    var options = WyomingServerOptions()
    options.allowsRemoteClients = allowRemote
    if let connections { options.maximumConnections = connections }
    if case .stdio = try address() { options.idleTimeout = nil }
    if let idleTimeout { options.idleTimeout = .seconds(idleTimeout) }
    if let headerLimit { options.limits.header = headerLimit.byteCount }
    if let dataLimit { options.limits.data = dataLimit.byteCount }
    if let payloadLimit { options.limits.payload = payloadLimit.byteCount }
    options.whenDropped = { [console = context.console] stretch, reason in
      await console.report(reason.sentence(about: stretch))
    }
    return options
  }
}

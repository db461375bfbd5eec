import ClientDependencies
public import Wyoming

/// Recognizes speech for clients of the Wyoming protocol, such as Home Assistant.
///
/// Its recognizer is `\.speechClient`, and `\.speechEngine` says what it knows; both are taken when
/// `run` is called. Each connection has recognitions of its own. What a client sends faster than it
/// is recognized waits in the client. A malformed frame gets an `error` event and ends its
/// connection; the others and the server go on.
///
/// While audio comes, `transcript-chunk` events carry the words that do not change any more, and
/// `voice-started` and `voice-stopped` say when there was speech; `transcript` has the whole text
/// of all utterances between `audio-start` and `audio-stop`.
public struct WyomingServer: Sendable {
  private let address: WyomingAddress
  private let options: WyomingServerOptions

  /// A server for an address; `stdio` is one client, on this process' standard input and output.
  public init(address: WyomingAddress, options: WyomingServerOptions = WyomingServerOptions()) {
    (self.address, self.options) = (address, options)
  }

  /// Serves until it is cancelled, on standard input until that ends.
  ///
  /// When it returns, all connections are closed, and the socket of a Unix address is removed.
  ///
  /// - Parameter onListening: is called once clients can connect, with the address that they can
  ///   use: port 0 has become the one that the system gave.
  /// - Throws: `WyomingServerError` where it cannot listen.
  public func run(
    onListening: @escaping @Sendable (_ address: WyomingAddress) async -> Void = { _ in }
  ) async throws {
    switch address {
    case .tcp(let host, let port):
      let listener = try await Listener(
        host: host, port: port, allowsRemote: options.allowsRemoteClients)
      try await listener.run(options, onListening)
    case .unix(let path):
      try SocketFile.makeRoom(at: path)
      try await Listener(path: path).run(options, onListening)
    case .stdio(command: nil):
      await onListening(address)
      try await serveStandardStreams(options)
    case .stdio(command: .some):
      throw WyomingServerError.cannotListen(
        address: "\(address)", reason: "a server on standard input and output starts no command")
    }
  }
}

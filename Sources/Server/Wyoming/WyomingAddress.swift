/// The address of a Wyoming server: `tcp://host:port`, `unix:///path`, or `stdio:command`.
public enum WyomingAddress: Hashable, Sendable {
  /// A host's name or IP address, and its port; 10300 by default.
  case tcp(host: String, port: Int)
  /// The path of a socket.
  case unix(path: String)
  /// A shell command that starts a server on its standard input and output. Nil, written `stdio`,
  /// means the standard input and output of this process.
  case stdio(command: String?)

  /// The default port for speech recognition.
  public static let defaultPort = 10_300

  /// The default server: speech recognition on this machine.
  public static let usual = WyomingAddress.tcp(host: "127.0.0.1", port: defaultPort)

  /// Parses an address; nil if the text is invalid.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let rest = parts.count > 1 ? parts[1] : ""
    switch parts[0].lowercased() {
    case "tcp" where rest.hasPrefix("//"): self.init(authority: rest.dropFirst(2))
    case "unix" where rest.hasPrefix("///") && rest.count > 3:
      self = .unix(path: String(rest.dropFirst(2)))
    case "stdio": self.init(command: rest)
    default: return nil
    }
  }

  private init(command: Substring) {
    self = .stdio(command: command.isEmpty || command == "//" ? nil : String(command))
  }

  /// Parses `host`, `host:port`, or `[address]:port`, optionally followed by one slash.
  private init?(authority: Substring) {
    let authority = authority.hasSuffix("/") ? authority.dropLast() : authority
    let host: Substring
    let rest: Substring
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      host = authority[..<end].dropFirst()
      rest = authority[end...].dropFirst()
    } else {
      host = authority.prefix { $0 != ":" }
      rest = authority.dropFirst(host.count)
    }
    guard !host.isEmpty, !host.contains("/"), rest.isEmpty || rest.hasPrefix(":") else {
      return nil
    }
    let port = rest.isEmpty ? Self.defaultPort : Int(rest.dropFirst())
    guard let port, (0...65_535).contains(port) else { return nil }
    self = .tcp(host: String(host), port: port)
  }
}

extension WyomingAddress: CustomStringConvertible {
  /// The address as text.
  public var description: String {
    switch self {
    case .tcp(let host, let port):
      host.contains(":") ? "tcp://[\(host)]:\(port)" : "tcp://\(host):\(port)"
    case .unix(let path): "unix://\(path)"
    case .stdio(let command): command.map { "stdio:\($0)" } ?? "stdio"
    }
  }
}

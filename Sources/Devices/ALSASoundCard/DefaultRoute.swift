import CALSA
import Glibc

/// The PCM that `default` stands for in ALSA's configuration.
enum DefaultRoute: Equatable {
  case missing
  /// ALSA's built-in default: the first card.
  case firstCard
  case server(plugin: String)
  case userDefined

  /// The plug-ins of sound servers.
  static let serverPlugins: Set<String> = ["pulse", "pipewire"]

  /// - Parameter target: the alias target of `default`, or the type of its definition.
  init(target: String?) {
    self =
      switch target {
      case nil: .missing
      case "cards.pcm.default": .firstCard
      case let plugin? where Self.serverPlugins.contains(plugin): .server(plugin: plugin)
      case _?: .userDefined
      }
  }

  /// Reads the default route from ALSA's configuration for this process.
  static func read() -> DefaultRoute {
    var top: OpaquePointer?
    guard snd_config_update_ref(&top) >= 0, let top else { return .missing }
    defer { snd_config_unref(top) }
    runHooks(top)
    guard let node = child(of: top, "pcm.default") else { return .missing }
    if snd_config_get_type(node) == SND_CONFIG_TYPE_COMPOUND {
      return DefaultRoute(target: child(of: node, "type").flatMap(string) ?? "unknown")
    }
    return DefaultRoute(target: string(node))
  }

  /// Returns the name or number of the card that ALSA uses if a PCM name contains none.
  static func card() -> String {
    for variable in ["ALSA_PCM_CARD", "ALSA_CARD"] {
      if let card = getenv(variable) { return String(cString: card) }
    }
    var top: OpaquePointer?
    guard snd_config_update_ref(&top) >= 0, let top else { return "0" }
    defer { snd_config_unref(top) }
    var text: UnsafeMutablePointer<CChar>?
    guard let node = child(of: top, "defaults.pcm.card"), snd_config_get_ascii(node, &text) >= 0,
      let text
    else { return "0" }
    defer { free(text) }
    return String(cString: text)
  }

  /// Runs the configuration hooks, which redefine `default` if a sound server responds.
  ///
  /// Only `snd_config_search_definition` runs the hooks; the definition that it returns is not
  /// needed.
  private static func runHooks(_ top: OpaquePointer) {
    var definition: OpaquePointer?
    if snd_config_search_definition(top, "pcm", "default", &definition) >= 0 {
      snd_config_delete(definition)
    }
  }

  private static func child(of node: OpaquePointer, _ key: String) -> OpaquePointer? {
    var found: OpaquePointer?
    return snd_config_search(node, key, &found) >= 0 ? found : nil
  }

  private static func string(_ node: OpaquePointer) -> String? {
    var characters: UnsafePointer<CChar>?
    guard snd_config_get_string(node, &characters) >= 0 else { return nil }
    return characters.map { String(cString: $0) }
  }
}

/// Checks for a sound server by its socket, without connecting.
struct SoundServer: Sendable {
  var variable: @Sendable (_ name: String) -> String?
  var exists: @Sendable (_ path: String) -> Bool

  /// A check that uses this process's environment and files.
  static let current = SoundServer(
    variable: { name in getenv(name).map { String(cString: $0) } },
    exists: { path in access(path, F_OK) == 0 })

  func isAvailable(plugin: String) -> Bool {
    switch plugin {
    case "pulse": isPulseAvailable
    case "pipewire": isPipeWireAvailable
    default: false
    }
  }

  private var isPulseAvailable: Bool {
    if let address = variable("PULSE_SERVER"), !address.isEmpty {
      // A remote server is assumed to be available.
      return Self.socketPath(address).map(exists) ?? true
    }
    let directories = [
      variable("PULSE_RUNTIME_PATH"), variable("XDG_RUNTIME_DIR").map { $0 + "/pulse" },
      "/run/user/\(getuid())/pulse", "/run/pulse",
    ]
    return directories.contains { $0.map { exists($0 + "/native") } ?? false }
  }

  /// Returns the socket path in a PulseAudio server address; nil for a remote server.
  static func socketPath(_ address: String) -> String? {
    let path = address.hasPrefix("unix:") ? String(address.dropFirst("unix:".count)) : address
    return path.hasPrefix("/") ? path : nil
  }

  private var isPipeWireAvailable: Bool {
    let name = variable("PIPEWIRE_REMOTE") ?? "pipewire-0"
    let directories = [
      variable("PIPEWIRE_RUNTIME_DIR"), variable("XDG_RUNTIME_DIR"), "/run/user/\(getuid())",
    ]
    return directories.contains { $0.map { exists("\($0)/\(name)") } ?? false }
  }
}

extension SoundServer {
  /// Returns the folders to watch for device files and sockets, including folders that may not
  /// exist yet.
  func deviceFolders(ofUser user: UInt32) -> [String] {
    let runtime = variable("XDG_RUNTIME_DIR") ?? "/run/user/\(user)"
    let server = variable("PULSE_SERVER").flatMap(Self.socketFolder)
    let pulse = variable("PULSE_RUNTIME_PATH") ?? runtime + "/pulse"
    let pipeWire = variable("PIPEWIRE_RUNTIME_DIR") ?? runtime
    var seen: Set<String> = []
    // If a folder does not exist yet, its parent folder reports its creation.
    return ["/dev/snd", "/dev", server, pulse, pipeWire, runtime].compactMap(\.self)
      .filter { seen.insert($0).inserted }
  }

  /// Whether a change of a file with this name may be a device change.
  static func isDeviceChange(_ name: String) -> Bool {
    name == "snd" || name == "pulse" || name == "native" || name.hasPrefix("pcmC")
      || name.hasPrefix("controlC") || name.hasPrefix("pipewire-")
  }

  private static func socketFolder(_ address: String) -> String? {
    guard let path = socketPath(address), let slash = path.lastIndex(of: "/"),
      slash > path.startIndex
    else { return nil }
    return String(path[..<slash])
  }
}

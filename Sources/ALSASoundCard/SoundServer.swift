import Glibc

/// Whether a sound server could be there, by its socket and without connecting to it.
struct SoundServer: Sendable {
  var variable: @Sendable (_ name: String) -> String?
  var exists: @Sendable (_ path: String) -> Bool

  /// The environment and the files of this process.
  static let current = SoundServer(
    variable: { name in getenv(name).map { String(cString: $0) } },
    exists: { path in access(path, F_OK) == 0 })

  func isThere(plugin: String) -> Bool {
    switch plugin {
    case "pulse": isPulseThere
    case "pipewire": isPipeWireThere
    default: false
    }
  }

  private var isPulseThere: Bool {
    if let address = variable("PULSE_SERVER"), !address.isEmpty {
      return isReachable(address)
    }
    let directories = [
      variable("PULSE_RUNTIME_PATH"), variable("XDG_RUNTIME_DIR").map { $0 + "/pulse" },
      "/run/user/\(getuid())/pulse", "/run/pulse",
    ]
    return directories.contains { $0.map { exists($0 + "/native") } ?? false }
  }

  /// Only the socket of this machine can be looked for; a server elsewhere is believed in.
  private func isReachable(_ address: String) -> Bool {
    let path = address.hasPrefix("unix:") ? String(address.dropFirst("unix:".count)) : address
    return path.hasPrefix("/") ? exists(path) : true
  }

  private var isPipeWireThere: Bool {
    let name = variable("PIPEWIRE_REMOTE") ?? "pipewire-0"
    let directories = [
      variable("PIPEWIRE_RUNTIME_DIR"), variable("XDG_RUNTIME_DIR"), "/run/user/\(getuid())",
    ]
    return directories.contains { $0.map { exists("\($0)/\(name)") } ?? false }
  }
}

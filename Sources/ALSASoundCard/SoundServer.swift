import Glibc

/// Checks for a sound server by its socket, without connecting.
struct SoundServer: Sendable {
  var variable: @Sendable (_ name: String) -> String?
  var exists: @Sendable (_ path: String) -> Bool

  /// The environment and the files of this process.
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
      return isReachable(address)
    }
    let directories = [
      variable("PULSE_RUNTIME_PATH"), variable("XDG_RUNTIME_DIR").map { $0 + "/pulse" },
      "/run/user/\(getuid())/pulse", "/run/pulse",
    ]
    return directories.contains { $0.map { exists($0 + "/native") } ?? false }
  }

  /// Checks a local socket; a remote server is assumed to be available.
  private func isReachable(_ address: String) -> Bool {
    let path = address.hasPrefix("unix:") ? String(address.dropFirst("unix:".count)) : address
    return path.hasPrefix("/") ? exists(path) : true
  }

  private var isPipeWireAvailable: Bool {
    let name = variable("PIPEWIRE_REMOTE") ?? "pipewire-0"
    let directories = [
      variable("PIPEWIRE_RUNTIME_DIR"), variable("XDG_RUNTIME_DIR"), "/run/user/\(getuid())",
    ]
    return directories.contains { $0.map { exists("\($0)/\(name)") } ?? false }
  }
}

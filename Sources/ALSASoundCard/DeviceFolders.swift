/// The folders of device files and sound-server sockets.
struct DeviceFolders: Equatable {
  /// The folders to watch, including ones that may not exist yet.
  let paths: [String]

  /// - Parameter variable: a variable of the environment.
  init(user: UInt32, variable: (_ name: String) -> String?) {
    let runtime = variable("XDG_RUNTIME_DIR") ?? "/run/user/\(user)"
    let server = variable("PULSE_SERVER").flatMap(Self.folder(ofServer:))
    let pulse = variable("PULSE_RUNTIME_PATH") ?? runtime + "/pulse"
    let pipeWire = variable("PIPEWIRE_RUNTIME_DIR") ?? runtime
    var seen: Set<String> = []
    // The parent folder reports the creation of a missing folder.
    paths = ["/dev/snd", "/dev", server, pulse, pipeWire, runtime].compactMap(\.self)
      .filter { seen.insert($0).inserted }
  }

  /// Whether a change of a file with this name may be a device change.
  static func concerns(_ name: String) -> Bool {
    name == "snd" || name == "pulse" || name == "native" || name.hasPrefix("pcmC")
      || name.hasPrefix("controlC") || name.hasPrefix("pipewire-")
  }

  private static func folder(ofServer address: String) -> String? {
    let path = address.hasPrefix("unix:") ? String(address.dropFirst("unix:".count)) : address
    guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash > path.startIndex
    else { return nil }
    return String(path[..<slash])
  }
}

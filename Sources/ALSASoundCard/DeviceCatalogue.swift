import AudioCore

/// ALSA's description of a configured PCM.
struct PCMHint: Equatable {
  var name: String
  var description: String?
  /// `Input` or `Output`; none means both directions.
  var ioid: String?
}

/// A PCM device of a sound card.
struct HardwareDevice: Equatable {
  var cardID: String
  var cardName: String
  var device: Int
  var name: String
  var directions: Set<AudioDevice.Direction>

  var address: String { "CARD=\(cardID),DEV=\(device)" }
}

/// Selects the user-facing devices from ALSA's configuration.
struct DeviceCatalogue {
  var hardware: [HardwareDevice]
  var hints: [PCMHint]
  var defaultRoute: DefaultRoute
  var isServerAvailable: (_ plugin: String) -> Bool

  /// Plug-ins that are parts of other devices, and names that `hardware` lists in a better form.
  private static let internalPlugins: Set<String> = [
    "null", "lavrate", "samplerate", "speexrate", "speex", "upmix", "vdownmix", "a52", "oss",
    "jack",
    "usbstream", "hw", "plughw", "plug", "dmix", "dsnoop", "dshare", "shm", "tee", "file", "front",
    "rear", "center_lfe", "side", "surround21", "surround40", "surround41", "surround50",
    "surround51", "surround71", "iec958", "spdif", "modem", "phoneline", "hdmi", "default",
  ]

  /// The devices, the default first.
  var devices: [AudioDevice] {
    defaultDevice + named + hardware.flatMap(openable)
  }

  private var defaultDevice: [AudioDevice] {
    guard let directions = defaultDirections, !directions.isEmpty else { return [] }
    let hint = hints.first { $0.name == AudioDevice.ID.alsaDefault.rawValue }
    return [
      AudioDevice(
        id: .alsaDefault, name: hint?.title ?? "Default device", directions: directions,
        isDefault: true)
    ]
  }

  /// The directions of `default`, or nil if it leads nowhere.
  private var defaultDirections: Set<AudioDevice.Direction>? {
    switch defaultRoute {
    case .missing: nil
    case .firstCard: hardware.reduce(into: []) { $0.formUnion($1.directions) }
    case .server(let plugin): isServerAvailable(plugin) ? [.playback, .capture] : nil
    case .userDefined:
      hints.first { $0.name == AudioDevice.ID.alsaDefault.rawValue }?.directions
        ?? [.playback, .capture]
    }
  }

  private var named: [AudioDevice] {
    hints.filter(isUserFacing).map {
      AudioDevice(id: .init(rawValue: $0.name), name: $0.title, directions: $0.directions)
    }
  }

  private func isUserFacing(_ hint: PCMHint) -> Bool {
    let plugin = String(hint.name.prefix { $0 != ":" })
    if DefaultRoute.serverPlugins.contains(plugin) { return isServerAvailable(plugin) }
    if plugin == "sysdefault" { return hint.name.contains("CARD=") }
    let isPart = ["samplerate_", "lavrate_", "speexrate_"].contains(where: plugin.hasPrefix)
    return !isPart && !Self.internalPlugins.contains(plugin)
  }

  private func openable(_ part: HardwareDevice) -> [AudioDevice] {
    [("hw", ""), ("plughw", ", with conversions")].map { plugin, remark in
      AudioDevice(
        id: .init(rawValue: "\(plugin):\(part.address)"),
        name: "\(part.cardName), \(part.name)\(remark)", directions: part.directions)
    }
  }
}

extension PCMHint {
  /// The description as one line, or the name.
  var title: String {
    let lines = (description ?? "").split(separator: "\n").joined(separator: ", ")
    return lines.isEmpty ? name : lines
  }

  var directions: Set<AudioDevice.Direction> {
    switch ioid {
    case "Input": [.capture]
    case "Output": [.playback]
    default: [.playback, .capture]
    }
  }
}

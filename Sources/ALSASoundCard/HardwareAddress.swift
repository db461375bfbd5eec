import AudioCore

/// The card and the device that a PCM's name leads to: `hw:CARD=PCH,DEV=0`, `plughw:1,3`, `hw`.
struct HardwareAddress: Equatable {
  /// The card's name or number.
  var card: String
  var device: Int

  /// Nil where the name does not tell.
  init?(_ id: AudioDevice.ID) {
    let parts = id.rawValue.split(separator: ":", maxSplits: 1)
    guard let plugin = parts.first, Self.plugins.contains(String(plugin)) else { return nil }
    (card, device) = ("0", 0)
    guard parts.count == 2 else { return }
    for (index, argument) in parts[1].split(separator: ",").enumerated() {
      let pair = argument.split(separator: "=", maxSplits: 1)
      let key = pair.count == 2 ? String(pair[0]) : ["CARD", "DEV"].dropFirst(index).first ?? ""
      set(key, to: String(pair.last ?? ""))
    }
  }

  /// The plug-ins that open a card itself, and those of ALSA's own that lead to one.
  private static let plugins: Set<String> = [
    "hw", "plughw", "default", "sysdefault", "front", "dmix", "dsnoop", "hdmi", "iec958",
    "surround21", "surround40", "surround41", "surround50", "surround51", "surround71",
  ]

  private mutating func set(_ key: String, to value: String) {
    switch key {
    case "CARD": card = value
    case "DEV": device = Int(value) ?? device
    default: break
    }
  }
}

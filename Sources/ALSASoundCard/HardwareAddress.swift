import AudioCore

/// The card and device in a PCM name, such as `hw:CARD=PCH,DEV=0`, `plughw:1,3`, `front:CARD=USB`,
/// or `dsnoop`.
struct HardwareAddress: Equatable {
  /// The card's name or number, or nil if the name has none.
  var card: String?
  /// The card's device number, or nil if the card's configuration determines it.
  var device: Int?

  /// - Parameter defaultCard: the card of ALSA's names that do not contain one.
  init(_ id: AudioDevice.ID, defaultCard: String?) {
    let parts = id.rawValue.split(separator: ":", maxSplits: 1)
    let plugin = parts.first.map(String.init) ?? ""
    let isALSAs = Self.throughToDevice.contains(plugin) || Self.throughToCard.contains(plugin)
    var number: Int?
    for (index, argument) in (parts.dropFirst().first ?? "").split(separator: ",").enumerated() {
      let pair = argument.split(separator: "=", maxSplits: 1)
      let position = isALSAs ? ["CARD", "DEV"].dropFirst(index).first : nil
      switch pair.count == 2 ? String(pair[0]) : position {
      case "CARD": card = pair.last.map(String.init)
      case "DEV": number = pair.last.flatMap { Int($0) }
      default: break
      }
    }
    if isALSAs { card = card ?? defaultCard }
    if Self.throughToDevice.contains(plugin) { device = number ?? 0 }
  }

  /// Plug-ins whose arguments are a card and a device number.
  private static let throughToDevice: Set<String> = ["hw", "plughw", "dmix", "dsnoop"]

  /// ALSA's names for parts of a card; the configuration determines the device.
  private static let throughToCard: Set<String> = [
    "default", "sysdefault", "front", "rear", "center_lfe", "side", "hdmi", "iec958", "spdif",
    "modem", "surround21", "surround40", "surround41", "surround50", "surround51", "surround71",
  ]
}

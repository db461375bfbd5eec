import AudioCore
import CALSA
import Glibc
import SoundCard

/// ALSA's description of a configured PCM.
struct PCMHint: Equatable {
  var name: String
  var description: String?
  /// `Input` or `Output`; nil for both directions.
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
struct DeviceCatalog {
  var hardware: [HardwareDevice]
  var hints: [PCMHint]
  var defaultRoute: DefaultRoute
  /// The devices of the sound server, if ALSA has a plug-in for it.
  var served: [AudioDevice] = []
  var isServerAvailable: (_ plugin: String) -> Bool

  /// Plug-ins that are parts of other devices, and names for which `hardware` has a better form.
  private static let internalPlugins: Set<String> = [
    "null", "lavrate", "samplerate", "speexrate", "speex", "upmix", "vdownmix", "a52", "oss",
    "jack",
    "usbstream", "hw", "plughw", "plug", "dmix", "dsnoop", "dshare", "shm", "tee", "file", "front",
    "rear", "center_lfe", "side", "surround21", "surround40", "surround41", "surround50",
    "surround51", "surround71", "iec958", "spdif", "modem", "phoneline", "hdmi", "default",
  ]

  /// The devices, the default first.
  var devices: [AudioDevice] {
    defaultDevice + named + served + hardware.flatMap(openable)
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

extension DeviceCatalog {
  /// Lists devices from ALSA's configuration and the cards' controls without opening a PCM.
  static func read() throws(SoundCardError) -> [AudioDevice] {
    let hints = try hints()
    let server = SoundServer.current
    let isServed = hints.contains { $0.name == "pulse" } && server.isAvailable(plugin: "pulse")
    return DeviceCatalog(
      hardware: hardware(), hints: hints, defaultRoute: .read(),
      served: isServed ? PulseServer.devices() : [], isServerAvailable: server.isAvailable
    ).devices
  }

  /// The devices of this machine's cards, by their control interfaces.
  private static func hardware() -> [HardwareDevice] {
    var found: [HardwareDevice] = []
    var card: Int32 = -1
    while snd_card_next(&card) >= 0, card >= 0 {
      // A card that is unplugged between the two calls is skipped.
      if let control = CardControl(card: card) { found += control.devices() }
    }
    return found
  }

  /// The corresponding C function is `snd_device_name_hint`.
  private static func hints() throws(SoundCardError) -> [PCMHint] {
    var list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    let code = snd_device_name_hint(-1, "pcm", &list)
    guard code >= 0, let list else {
      throw .operating(.alsaDefault, "snd_device_name_hint", code: code)
    }
    defer { snd_device_name_free_hint(list) }
    var hints: [PCMHint] = []
    var next = list
    while let hint = next.pointee {
      if let name = text(hint, "NAME") {
        hints.append(
          PCMHint(name: name, description: text(hint, "DESC"), ioid: text(hint, "IOID")))
      }
      next += 1
    }
    return hints
  }

  private static func text(_ hint: UnsafeRawPointer, _ key: String) -> String? {
    guard let characters = snd_device_name_get_hint(hint, key) else { return nil }
    defer { free(characters) }
    return String(cString: characters)
  }
}

/// The owner of a card's control handle.
private struct CardControl: ~Copyable {
  private let control: OpaquePointer

  /// The corresponding C function is `snd_ctl_open`; returns nil on failure.
  init?(card: Int32) {
    var control: OpaquePointer?
    guard snd_ctl_open(&control, "hw:\(card)", SND_CTL_NONBLOCK) >= 0, let control else {
      return nil
    }
    self.control = control
  }

  deinit { snd_ctl_close(control) }

  func devices() -> [HardwareDevice] {
    var info: OpaquePointer?
    guard snd_ctl_card_info_malloc(&info) == 0, let info else { return [] }
    defer { snd_ctl_card_info_free(info) }
    guard snd_ctl_card_info(control, info) >= 0 else { return [] }
    let id = String(cString: snd_ctl_card_info_get_id(info))
    let name = String(cString: snd_ctl_card_info_get_name(info))
    var found: [HardwareDevice] = []
    var number: Int32 = -1
    while snd_ctl_pcm_next_device(control, &number) >= 0, number >= 0 {
      if let part = device(UInt32(number), cardID: id, cardName: name) { found.append(part) }
    }
    return found
  }

  private func device(_ number: UInt32, cardID: String, cardName: String) -> HardwareDevice? {
    let streams: [(AudioDevice.Direction, snd_pcm_stream_t)] = [
      (.playback, SND_PCM_STREAM_PLAYBACK), (.capture, SND_PCM_STREAM_CAPTURE),
    ]
    var names: [AudioDevice.Direction: String] = [:]
    for (direction, stream) in streams { names[direction] = self.name(of: number, stream) }
    guard let name = names[.playback] ?? names[.capture] else { return nil }
    return HardwareDevice(
      cardID: cardID, cardName: cardName, device: Int(number), name: name,
      directions: Set(names.keys))
  }

  /// The name of a device in one direction, or nil if it lacks the direction.
  private func name(of device: UInt32, _ stream: snd_pcm_stream_t) -> String? {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) == 0, let info else { return nil }
    defer { snd_pcm_info_free(info) }
    snd_pcm_info_set_device(info, device)
    snd_pcm_info_set_subdevice(info, 0)
    snd_pcm_info_set_stream(info, stream)
    guard snd_ctl_pcm_info(control, info) >= 0 else { return nil }
    return String(cString: snd_pcm_info_get_name(info))
  }
}

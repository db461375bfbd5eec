import AudioCore
import CALSA
import Glibc
import SoundCard

/// Selects the user-facing devices from ALSA's configuration.
struct DeviceCatalog {
  /// The PCM devices of sound cards, by their `hw` names.
  var hardware: [AudioDevice]
  /// The configured PCMs.
  var hints: [AudioDevice]
  var defaultRoute: DefaultRoute
  /// The devices of the sound server, if ALSA has a plug-in for it.
  var served: [AudioDevice] = []
  var isServerAvailable: (_ plugin: String) -> Bool

  /// The names of configured PCMs that are not listed: building blocks of other devices, and sound
  /// cards, because `hardware` already contains the cards.
  private static let internalPlugins: Set<String> = [
    "null", "lavrate", "samplerate", "speexrate", "speex", "upmix", "vdownmix", "a52", "oss",
    "jack",
    "usbstream", "hw", "plughw", "plug", "dmix", "dsnoop", "dshare", "shm", "tee", "file", "front",
    "rear", "center_lfe", "side", "surround21", "surround40", "surround41", "surround50",
    "surround51", "surround71", "iec958", "spdif", "modem", "phoneline", "hdmi", "default",
  ]

  /// The devices, the default first.
  var devices: [AudioDevice] {
    defaultDevice + hints.filter(isUserFacing) + served
      + hardware.flatMap { [$0, converting($0)] }
  }

  private var defaultDevice: [AudioDevice] {
    guard let directions = defaultDirections, !directions.isEmpty else { return [] }
    return [
      AudioDevice(
        id: .alsaDefault, name: defaultHint?.name ?? "Default device", directions: directions,
        isDefault: true)
    ]
  }

  private var defaultHint: AudioDevice? { hints.first { $0.id == .alsaDefault } }

  /// The directions of `default`; nil if `default` stands for no available device.
  private var defaultDirections: Set<AudioDevice.Direction>? {
    switch defaultRoute {
    case .missing: nil
    case .firstCard: hardware.reduce(into: []) { $0.formUnion($1.directions) }
    case .server(let plugin): isServerAvailable(plugin) ? [.playback, .capture] : nil
    case .userDefined: defaultHint?.directions ?? [.playback, .capture]
    }
  }

  private func isUserFacing(_ hint: AudioDevice) -> Bool {
    let name = hint.id.rawValue
    let plugin = String(name.prefix { $0 != ":" })
    if DefaultRoute.serverPlugins.contains(plugin) { return isServerAvailable(plugin) }
    if plugin == "sysdefault" { return name.contains("CARD=") }
    let isPart = ["samplerate_", "lavrate_", "speexrate_"].contains(where: plugin.hasPrefix)
    return !isPart && !Self.internalPlugins.contains(plugin)
  }

  /// Returns the device as ALSA's `plug` opens it, with conversions of format and rate.
  private func converting(_ device: AudioDevice) -> AudioDevice {
    AudioDevice(
      id: .init(rawValue: "plug\(device.id)"), name: "\(device.name), with conversions",
      directions: device.directions)
  }
}

extension AudioDevice {
  /// Creates a device for a configured PCM.
  ///
  /// - Parameters:
  ///   - name: the PCM's name.
  ///   - description: ALSA's description, perhaps of several lines.
  ///   - direction: `Input` or `Output`; nil for both directions.
  init(hint name: String, description: String? = nil, direction: String? = nil) {
    let lines = (description ?? "").split(separator: "\n").joined(separator: ", ")
    let directions: Set<Direction> =
      switch direction {
      case "Input": [.capture]
      case "Output": [.playback]
      default: [.playback, .capture]
      }
    self.init(
      id: .init(rawValue: name), name: lines.isEmpty ? name : lines, directions: directions)
  }
}

extension DeviceCatalog {
  /// Lists devices from ALSA's configuration and the cards' controls without opening a PCM.
  static func read() throws(SoundCardError) -> [AudioDevice] {
    let hints = try hints()
    let server = SoundServer.current
    let isServed = hints.contains { $0.id == "pulse" } && server.isAvailable(plugin: "pulse")
    return DeviceCatalog(
      hardware: hardware(), hints: hints, defaultRoute: .read(),
      served: isServed ? PulseServer.devices() : [], isServerAvailable: server.isAvailable
    ).devices
  }

  /// Returns the devices of this machine's cards, by their control interfaces.
  private static func hardware() -> [AudioDevice] {
    var found: [AudioDevice] = []
    var card: Int32 = -1
    while snd_card_next(&card) >= 0, card >= 0 {
      var control: OpaquePointer?
      // The card may have been unplugged since it was listed, so skip it.
      guard snd_ctl_open(&control, "hw:\(card)", SND_CTL_NONBLOCK) >= 0, let control else {
        continue
      }
      defer { snd_ctl_close(control) }
      found += devices(of: control)
    }
    return found
  }

  /// Returns the devices of a card.
  private static func devices(of control: OpaquePointer) -> [AudioDevice] {
    var info: OpaquePointer?
    guard snd_ctl_card_info_malloc(&info) == 0, let info else { return [] }
    defer { snd_ctl_card_info_free(info) }
    guard snd_ctl_card_info(control, info) >= 0 else { return [] }
    let card = String(cString: snd_ctl_card_info_get_id(info))
    let cardName = String(cString: snd_ctl_card_info_get_name(info))
    var found: [AudioDevice] = []
    var number: Int32 = -1
    while snd_ctl_pcm_next_device(control, &number) >= 0, number >= 0 {
      var names: [AudioDevice.Direction: String] = [:]
      names[.playback] = name(of: UInt32(number), SND_PCM_STREAM_PLAYBACK, control)
      names[.capture] = name(of: UInt32(number), SND_PCM_STREAM_CAPTURE, control)
      guard let name = names[.playback] ?? names[.capture] else { continue }
      found.append(
        AudioDevice(
          id: .init(rawValue: "hw:CARD=\(card),DEV=\(number)"), name: "\(cardName), \(name)",
          directions: Set(names.keys)))
    }
    return found
  }

  /// Returns the name of a device in one direction, or nil if the device lacks the direction.
  private static func name(
    of device: UInt32, _ stream: snd_pcm_stream_t, _ control: OpaquePointer
  ) -> String? {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) == 0, let info else { return nil }
    defer { snd_pcm_info_free(info) }
    snd_pcm_info_set_device(info, device)
    snd_pcm_info_set_subdevice(info, 0)
    snd_pcm_info_set_stream(info, stream)
    guard snd_ctl_pcm_info(control, info) >= 0 else { return nil }
    return String(cString: snd_pcm_info_get_name(info))
  }

  /// The corresponding C function is `snd_device_name_hint`.
  private static func hints() throws(SoundCardError) -> [AudioDevice] {
    var list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    let code = snd_device_name_hint(-1, "pcm", &list)
    guard code >= 0, let list else {
      throw .operating(.alsaDefault, "snd_device_name_hint", code: code)
    }
    defer { snd_device_name_free_hint(list) }
    var hints: [AudioDevice] = []
    var next = list
    while let hint = next.pointee {
      if let name = text(hint, "NAME") {
        hints.append(
          AudioDevice(
            hint: name, description: text(hint, "DESC"), direction: text(hint, "IOID")))
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

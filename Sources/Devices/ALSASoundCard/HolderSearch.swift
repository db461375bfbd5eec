import AudioCore
import Glibc
import SoundCard

/// Finds the program that uses a device, in `/proc`.
struct HolderSearch {
  /// The root of the proc file system.
  var root = "/proc"
  /// Returns the PCM that `default` stands for in ALSA's configuration.
  var defaultRoute: () -> DefaultRoute = DefaultRoute.read
  /// Returns the card that ALSA uses if a PCM name contains none.
  var defaultCard: () -> String = DefaultRoute.card

  /// The numbers that the kernel assigns to cards, and to the devices of a card.
  private static let numbers = 0..<32

  /// The plug-in names of sound servers, as in `pulse` or `pulse:DEVICE=x`.
  private static let servers = DefaultRoute.serverPlugins.union(["jack"])

  /// Returns the program that uses the device in this direction, or nil if unknown.
  ///
  /// If the name is ambiguous, the result is a guess: the only program that uses one of the
  /// candidates.
  func holder(
    of id: AudioDevice.ID, for direction: AudioDevice.Direction
  ) -> DeviceHolder? {
    guard let address = address(of: id) else { return nil }
    let side = direction == .playback ? "p" : "c"
    let cards = address.card.map { [number(ofCard: $0)].compactMap(\.self) } ?? Array(Self.numbers)
    let devices = address.device.map { [$0] } ?? Array(Self.numbers)
    let found = cards.flatMap { card in
      devices.flatMap { holders(in: "\(root)/asound/card\(card)/pcm\($0)\(side)") }
    }
    if address.device != nil { return found.first }
    guard let only = found.first, Set(found).count == 1 else { return nil }
    return DeviceHolder(name: only.name, processID: only.processID, isGuess: true)
  }

  /// Returns the card and the device number of a device; nil for a sound server.
  private func address(of id: AudioDevice.ID) -> (card: String?, device: Int?)? {
    if Self.servers.contains(String(id.rawValue.prefix { $0 != ":" })) { return nil }
    guard id == .alsaDefault else { return id.hardware(defaultCard: defaultCard()) }
    return switch defaultRoute() {
    case .server: nil
    case .firstCard: id.hardware(defaultCard: defaultCard())
    case .userDefined, .missing: id.hardware(defaultCard: nil)
    }
  }

  /// Returns the programs that use a device, in subdevice order.
  private func holders(in device: String) -> [DeviceHolder] {
    var holders: [DeviceHolder] = []
    for part in 0... {
      guard let status = text("\(device)/sub\(part)/status") else { return holders }
      let owner = number(after: "owner_pid", in: status)
      holders += [owner.flatMap(program)].compactMap(\.self)
    }
    return holders
  }

  private func number(ofCard name: String) -> Int? {
    if let number = Int(name) { return number }
    return Self.numbers.first { text("\(root)/asound/card\($0)/id")?.firstLine == name }
  }

  /// Returns the process of the thread that opened the device.
  private func program(of thread: Int32) -> DeviceHolder? {
    let process =
      text("\(root)/\(thread)/status").flatMap { number(after: "Tgid", in: $0) } ?? thread
    guard let name = text("\(root)/\(process)/comm")?.firstLine else { return nil }
    return DeviceHolder(name: name, processID: process)
  }

  /// Returns the number in the line `key : number`.
  private func number(after key: String, in text: String) -> Int32? {
    for line in text.split(separator: "\n") where line.hasPrefix(key) {
      guard let value = line.split(separator: ":").dropFirst().first else { continue }
      return Int32(value.filter { !$0.isWhitespace })
    }
    return nil
  }

  /// Returns the first 4 KiB of a file, which is enough for the files in `/proc`.
  private func text(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { memory, count in
      count = fread(memory.baseAddress, 1, memory.count, file)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension String {
  fileprivate var firstLine: String? { split(separator: "\n").first.map(String.init) }
}

extension AudioDevice.ID {
  /// Returns the card and device in a PCM name, such as `hw:CARD=PCH,DEV=0`, `plughw:1,3`,
  /// `front:CARD=USB`, or `dsnoop`.
  ///
  /// The card is a name or a number, and nil if the PCM name contains none. The device is nil if
  /// the card's configuration determines it.
  ///
  /// - Parameter defaultCard: the card that ALSA uses if the PCM name contains none.
  func hardware(defaultCard: String?) -> (card: String?, device: Int?) {
    let parts = rawValue.split(separator: ":", maxSplits: 1)
    let plugin = parts.first.map(String.init) ?? ""
    let isOfDevice = Self.throughToDevice.contains(plugin)
    let isALSAs = isOfDevice || Self.throughToCard.contains(plugin)
    var card: String?
    var device: Int?
    for (index, argument) in (parts.dropFirst().first ?? "").split(separator: ",").enumerated() {
      let pair = argument.split(separator: "=", maxSplits: 1)
      let position = isALSAs ? ["CARD", "DEV"].dropFirst(index).first : nil
      switch pair.count == 2 ? String(pair[0]) : position {
      case "CARD": card = pair.last.map(String.init)
      case "DEV": device = pair.last.flatMap { Int($0) }
      default: break
      }
    }
    return (card ?? (isALSAs ? defaultCard : nil), isOfDevice ? device ?? 0 : nil)
  }

  /// Plug-ins whose arguments are a card and a device number.
  private static let throughToDevice: Set<String> = ["hw", "plughw", "dmix", "dsnoop"]

  /// PCM names whose argument is only a card; ALSA's configuration selects the device of that card.
  private static let throughToCard: Set<String> = [
    "default", "sysdefault", "front", "rear", "center_lfe", "side", "hdmi", "iec958", "spdif",
    "modem", "surround21", "surround40", "surround41", "surround50", "surround51", "surround71",
  ]
}

import AudioCore
import FilePaths
import SoundCard

/// What the kernel reports about a card's device in `/proc/asound`, without opening it.
struct DeviceDetails: Equatable {
  /// The sample rates in hertz, in ascending order; empty if unknown.
  var rates: [Int] = []
  /// The channel counts, in ascending order; empty if unknown.
  var channels: [Int] = []
  /// The programs that use it now.
  var holders: [DeviceHolder] = []

  /// The details of a device such as `hw:CARD=PCH,DEV=0`; empty for plug-ins and servers, which use a
  /// card's device themselves.
  init(of device: AudioDevice, root: FilePath = "/proc") {
    guard
      let match = device.id.rawValue.firstMatch(of: /^(?:plug)?hw:CARD=([^,\/]+),DEV=(\d+)$/)
    else { return }
    let card = root.appending("asound").appending(FilePath(String(match.1)))
    for direction in device.directions {
      let side = direction == .playback ? "p" : "c"
      holders += Self.holders(of: card.appending(FilePath("pcm\(match.2)\(side)")), root: root)
    }
    let stream = card.appending(FilePath("stream\(match.2)")).lines
    (rates, channels) = (
      Self.numbers(after: "Rates:", stream), Self.numbers(after: "Channels:", stream)
    )
    // Codecs do not say which device is theirs: only a card with one device is sure.
    let parts = (card.names ?? []).filter { $0.text.hasPrefix("pcm") }
    if stream.isEmpty, parts.allSatisfy({ $0.text.hasPrefix("pcm0") }) {
      rates = Self.numbers(after: "rates [", card.appending("codec#0").lines)
    }
  }

  /// The numbers in lines such as `    Rates: 44100, 48000` of USB devices, and
  /// `    rates [0x5e0]: 44100 48000` of HDA codecs.
  private static func numbers(after key: String, _ lines: [Substring]) -> [Int] {
    let lists = lines.filter { line in line.drop { $0 == " " }.hasPrefix(key) }
      .compactMap { line in line.split(separator: ":", omittingEmptySubsequences: false).last }
    let numbers = lists.flatMap { list in list.split { !$0.isNumber }.compactMap { Int($0) } }
    return Set(numbers).sorted()
  }

  /// The programs in the status files of a device's parts.
  private static func holders(of device: FilePath, root: FilePath) -> [DeviceHolder] {
    (device.names ?? []).filter { $0.text.hasPrefix("sub") }.sorted { $0.text < $1.text }
      .compactMap { part in
        let status = device.appending(part).appending("status").lines
        guard let thread = number("owner_pid", in: status) else { return nil }
        // The owner is the thread that opened the device.
        let process =
          number("Tgid", in: root.appending(FilePath("\(thread)")).appending("status").lines)
          ?? thread
        guard let name = root.appending(FilePath("\(process)")).appending("comm").lines.first else {
          return nil
        }
        return DeviceHolder(name: String(name), processID: process)
      }
  }

  /// The number in the line `key : number`.
  private static func number(_ key: String, in lines: [Substring]) -> Int32? {
    lines.first { $0.hasPrefix(key) }.flatMap { line in
      line.split(separator: ":").last.flatMap { Int32($0.filter { !$0.isWhitespace }) }
    }
  }
}

extension FilePath {
  /// The lines of a short file; none if it cannot be read.
  fileprivate var lines: [Substring] {
    String(decoding: (try? contents(atMost: 1 << 18)) ?? [], as: UTF8.self)
      .split(separator: "\n").map { $0 }
  }
}

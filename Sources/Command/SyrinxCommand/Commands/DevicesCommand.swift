import ArgumentParser
import AudioCore
import AudioPlayerClient
import AudioRecorderClient
import ClientDependencies
import FilePaths
import SoundCard

/// `syrinx devices`: lists playback and capture devices.
struct DevicesCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the playback and capture devices.",
    discussion: """
      Examples:
        syrinx devices
        syrinx devices --json
        syrinx play talk.wav --device hw:CARD=PCH,DEV=0

      An asterisk marks the default device. The virtual devices are always listed, and are used only \
      if you name them.

      The list also shows rates and channels, if they are known without opening the device, and which \
      programs use a sound card.

      With --json, each device is an object on its own line: "id" (the value for --device), "name", \
      "playback", "capture", "default", and "virtual", and where they are known "rates", "channels", \
      and "usedBy", each with "program" and "process". If the devices cannot be listed, the last \
      object has the "error".
      """)

  @OptionGroup var json: JSONOption

  @OptionGroup var common: CommonOptions

  var printsFailureAsJSON: Bool { json.isOn }

  func perform(in context: CommandContext) async throws {
    let virtual: [AudioDevice] = [.virtualPlayback, .virtualMicrophone]
    do {
      let devices = try await devices()
      try await list(devices.isEmpty ? virtual : devices, on: context.console)
      if devices.allSatisfy(\.isVirtual) { await reportNone(on: context.console) }
    } catch let error where error is AudioPlayerError || error is AudioRecorderError {
      try await list(virtual, on: context.console)
      throw error
    }
  }

  /// Returns the playback devices, followed by the devices that only capture.
  private func devices() async throws -> [AudioDevice] {
    @Dependency(\.audioPlayer) var player
    @Dependency(\.audioRecorder) var recorder
    let playing = try await player.devices()
    return playing + (try await recorder.devices()).filter { !playing.contains($0) }
  }

  private func list(_ devices: [AudioDevice], on console: Console) async throws {
    let lines =
      json.isOn
      ? try devices.map { try JSONRecord($0, DeviceDetails(of: $0)).jsonLine() }
      : devices.tableLines()
    for line in lines { try await console.print(line) }
  }

  private func reportNone(on console: Console) async {
    await console.report("no sound card and no sound server found; use a virtual device")
  }
}

extension [AudioDevice] {
  /// Returns a header line and a line for each device; `*` marks the default device.
  func tableLines(
    _ details: (AudioDevice) -> DeviceDetails = { DeviceDetails(of: $0) }
  ) -> [String] {
    let rows = map { device in
      let details = details(device)
      return [
        device.id.rawValue, device.directionsText,
        details.rates.map { "\($0)" }.joined(separator: " "),
        details.channels.map { "\($0)" }.joined(separator: " "),
        details.holders.map { "\($0)" }.joined(separator: ", "), device.nameText,
      ]
    }
    guard !rows.isEmpty else { return [] }
    let lines = columnLines(
      titles: ["DEVICE", "DIRECTION", "RATES", "CHANNELS", "USED BY", "NAME"], rows: rows)
    return zip([false] + map(\.isDefault), lines).map { isDefault, line in
      "\(isDefault ? "*" : " ") \(line)".printableLine
    }
  }
}

extension AudioDevice {
  fileprivate var directionsText: String {
    let known: [Direction] = [.playback, .capture]
    return known.filter(directions.contains).map(\.rawValue).joined(separator: ", ")
  }

  /// The name on one line.
  fileprivate var nameText: String {
    let name = name.split(whereSeparator: \.isNewline).joined(separator: ", ")
    return (isVirtual ? "virtual: " : "") + name + (isDefault ? " (default)" : "")
  }
}

/// Creates the record of a device for `syrinx devices --json`.
extension JSONRecord {
  init(_ device: AudioDevice, _ details: DeviceDetails) {
    self = [
      "id": device.id.rawValue, "name": device.name,
      "playback": device.directions.contains(.playback),
      "capture": device.directions.contains(.capture), "default": device.isDefault,
      "virtual": device.isVirtual, "rates": details.rates.unlessEmpty,
      "channels": details.channels.unlessEmpty,
      "usedBy": details.holders.unlessEmpty?.map { holder -> JSONRecord in
        ["program": holder.name, "process": holder.processID]
      },
    ]
  }
}

/// Details of a hardware device that the kernel shows in `/proc/asound`, read without opening the
/// device.
struct DeviceDetails: Equatable {
  /// The sample rates in hertz, in ascending order; empty if unknown.
  var rates: [Int] = []
  /// The channel counts, in ascending order; empty if unknown.
  var channels: [Int] = []
  /// The programs that have the device open.
  var holders: [DeviceHolder] = []

  /// Reads the details of a device such as `hw:CARD=PCH,DEV=0`.
  ///
  /// A plug-in or a sound server opens its hardware device itself, so its details are empty.
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
    // A codec file lists rates but names no device, so the rates are used only if the card has one
    // device.
    let parts = (card.names ?? []).filter { $0.text.hasPrefix("pcm") }
    if stream.isEmpty, parts.allSatisfy({ $0.text.hasPrefix("pcm0") }) {
      rates = Self.numbers(after: "rates [", card.appending("codec#0").lines)
    }
  }

  /// Returns the numbers in lines such as `    Rates: 44100, 48000` of USB devices, and
  /// `    rates [0x5e0]: 44100 48000` of HDA codecs.
  private static func numbers(after key: String, _ lines: [Substring]) -> [Int] {
    let lists = lines.filter { line in line.drop { $0 == " " }.hasPrefix(key) }
      .compactMap { line in line.split(separator: ":", omittingEmptySubsequences: false).last }
    let numbers = lists.flatMap { list in list.split { !$0.isNumber }.compactMap { Int($0) } }
    return Set(numbers).sorted()
  }

  /// Returns the programs that have a device open, from the status files of its substreams.
  private static func holders(of device: FilePath, root: FilePath) -> [DeviceHolder] {
    (device.names ?? []).filter { $0.text.hasPrefix("sub") }.sorted { $0.text < $1.text }
      .compactMap { part in
        let status = device.appending(part).appending("status").lines
        guard let thread = number("owner_pid", in: status) else { return nil }
        // `owner_pid` is the thread that opened the device; `Tgid` is the ID of its process.
        let process =
          number("Tgid", in: root.appending(FilePath("\(thread)")).appending("status").lines)
          ?? thread
        guard let name = root.appending(FilePath("\(process)")).appending("comm").lines.first else {
          return nil
        }
        return DeviceHolder(name: String(name), processID: process)
      }
  }

  /// Returns the number in the line `key : number`.
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

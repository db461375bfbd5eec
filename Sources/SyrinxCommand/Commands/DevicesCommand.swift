import ArgumentParser
import AudioCore
import AudioPlayerClient
import AudioRecorderClient
import ClientDependencies
import FilePaths

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

      An asterisk marks the default device. The virtual devices are always available, but used only \
      if named.

      With --json, each device is an object on its own line: "id" (the value for --device), "name", \
      "playback", "capture", "default", and "virtual".
      """)

  @Flag(help: "Print JSON, one object per line.")
  var json = false

  @OptionGroup var common: CommonOptions

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

  /// Playback devices first, then devices that only capture.
  private func devices() async throws -> [AudioDevice] {
    @Dependency(\.audioPlayer) var player
    @Dependency(\.audioRecorder) var recorder
    let playing = try await player.devices()
    return playing + (try await recorder.devices()).filter { !playing.contains($0) }
  }

  private func list(_ devices: [AudioDevice], on console: Console) async throws {
    let lines =
      json
      ? try devices.map { try DeviceRecord($0).jsonLine() }
      : DeviceTable(devices: devices).lines
    for line in lines { try await console.print(line) }
  }

  private func reportNone(on console: Console) async {
    await console.report("no sound card and no sound server found; use a virtual device")
  }
}

/// The devices as text; `*` marks the default device.
struct DeviceTable {
  let devices: [AudioDevice]

  var lines: [String] {
    let ids = column(devices.map(\.id.rawValue))
    let directions = column(devices.map(\.directionsText))
    return devices.indices.map { index in
      let mark = devices[index].isDefault ? "*" : " "
      return "\(mark) \(ids[index])  \(directions[index])  \(devices[index].nameText)".printable
    }
  }

  private func column(_ texts: [String]) -> [String] {
    let width = texts.map(\.count).max() ?? 0
    return texts.map { $0 + String(repeating: " ", count: width - $0.count) }
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

/// A device in the output of `syrinx devices --json`.
struct DeviceRecord: Encodable {
  let id: String
  let name: String
  let playback: Bool
  let capture: Bool
  let isDefault: Bool
  let isVirtual: Bool

  enum CodingKeys: String, CodingKey {
    case id, name, playback, capture
    case isDefault = "default"
    case isVirtual = "virtual"
  }

  init(_ device: AudioDevice) {
    id = device.id.rawValue
    name = device.name
    playback = device.directions.contains(.playback)
    capture = device.directions.contains(.capture)
    isDefault = device.isDefault
    isVirtual = device.isVirtual
  }
}

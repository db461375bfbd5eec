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

  /// Playback devices first, then devices that only capture.
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
  var details: (AudioDevice) -> DeviceDetails = { DeviceDetails(of: $0) }

  /// The line of titles, and a line for each device.
  var lines: [String] {
    let rows = devices.map { device in
      let details = details(device)
      return [
        device.id.rawValue, device.directionsText,
        details.rates.map { "\($0)" }.joined(separator: " "),
        details.channels.map { "\($0)" }.joined(separator: " "),
        details.holders.map { "\($0)" }.joined(separator: ", "), device.nameText,
      ]
    }
    guard !rows.isEmpty else { return [] }
    let table = TextTable(
      titles: ["DEVICE", "DIRECTION", "RATES", "CHANNELS", "USED BY", "NAME"], rows: rows)
    return zip([false] + devices.map(\.isDefault), table.lines).map { isDefault, line in
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

/// A device in the output of `syrinx devices --json`.
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

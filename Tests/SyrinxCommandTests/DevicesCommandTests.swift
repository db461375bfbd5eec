import AudioCore
import Foundation
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(1)))
struct DevicesCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  private struct Line: Decodable {
    let id: String
    let name: String
    let playback: Bool
    let capture: Bool
    let `default`: Bool
    let virtual: Bool
  }

  @Test
  func `without a sound card, 'devices' lists the virtual devices, none of them as the default`()
    async throws
  {
    let run = try await BuiltCommand.run(
      "devices", "--json", in: folder, environment: BuiltCommand.withoutSoundCard)
    #expect(run.status == 0)
    let devices = try run.outputLines.map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
    #expect(devices.map(\.id) == ["virtual", "virtual:FILE"])
    #expect(devices.map(\.playback) == [true, false] && devices.map(\.capture) == [false, true])
    #expect(devices.allSatisfy { $0.virtual && !$0.default })
    #expect(run.error.contains("no sound card"))
  }

  @Test
  func `'devices' prints one device per line`() async throws {
    let run = try await BuiltCommand.run(
      "devices", in: folder, environment: BuiltCommand.withoutSoundCard)
    #expect(run.outputLines.count == 2)
    #expect(run.outputLines.allSatisfy { $0.contains("virtual: ") })
  }

  @Test
  func `'devices' ends quietly when its reader is gone`() async throws {
    let process = BuiltCommand.process(BuiltCommand.url, ["devices"], in: folder)
    let (pipe, error) = (Pipe(), try folder.output())
    try pipe.fileHandleForReading.close()
    process.standardOutput = pipe
    process.standardError = error.handle
    try process.run()
    process.waitUntilExit()
    #expect(process.shellStatus == 141)
    #expect(try error.text().isEmpty)
  }

  @Test
  func `a closed or full standard output is an error`() async throws {
    for target in [">&-", ">/dev/full"] {
      let run = try await BuiltCommand.shell("syrinx devices \(target)", in: folder)
      #expect(run.status == 1)
      #expect(run.error.contains("cannot write standard output"))
    }
  }
}

struct DeviceTableTests {
  @Test
  func `the table marks the default and the virtual devices and aligns its columns`() {
    let card = AudioDevice(
      id: "default", name: "A card\nwith two lines", directions: [.playback, .capture],
      isDefault: true)
    let lines = DeviceTable(devices: [card, .virtualPlayback]).lines
    #expect(
      lines == [
        "* default  playback, capture  A card, with two lines (default)",
        "  virtual  playback           virtual: plays in real time without hardware",
      ])
  }

  @Test
  func `no devices make an empty table`() {
    #expect(DeviceTable(devices: []).lines.isEmpty)
  }
}

struct DeviceRecordTests {
  @Test
  func `a device is one line of JSON with all its properties`() throws {
    let device = AudioDevice(
      id: "hw:CARD=PCH,DEV=0", name: "PCH\nAnalog", directions: [.capture], isDefault: true)
    #expect(
      try DeviceRecord(device).jsonLine() == #"""
        {"capture":true,"default":true,"id":"hw:CARD=PCH,DEV=0","name":"PCH\nAnalog",\#
        "playback":false,"virtual":false}
        """#)
  }
}

import AudioCore
import FilePaths
import Foundation
import SoundCard
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5)))
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
    #expect(run.outputLines.count == 3)
    #expect(run.outputLines.dropFirst().allSatisfy { $0.contains("virtual: ") })
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
    let lines = [card, .virtualPlayback].tableLines()
    #expect(
      lines == [
        "  DEVICE   DIRECTION          NAME",
        "* default  playback, capture  A card, with two lines (default)",
        "  virtual  playback           virtual: plays in real time without hardware",
      ])
  }

  @Test
  func `without devices, the table is empty`() {
    #expect([AudioDevice]().tableLines().isEmpty)
  }
}

struct DeviceRecordTests {
  @Test
  func `a device is one line of JSON with all its properties`() throws {
    let device = AudioDevice(
      id: "hw:CARD=PCH,DEV=0", name: "PCH\nAnalog", directions: [.capture], isDefault: true)
    #expect(
      try JSONRecord(device, DeviceDetails(of: device, root: "/nowhere")).jsonLine() == #"""
        {"capture":true,"default":true,"id":"hw:CARD=PCH,DEV=0","name":"PCH\nAnalog",\#
        "playback":false,"virtual":false}
        """#)
  }
}

struct DeviceDetailsTests {
  private let folder: TestFolder
  private let device = AudioDevice(
    id: "hw:CARD=USB,DEV=0", name: "Headset", directions: [.playback, .capture])

  init() throws {
    folder = try TestFolder()
  }

  @Test
  func `rates and channels of a USB device, and the program that uses it, come from /proc`() throws
  {
    try write(
      "asound/USB/stream0",
      """
      Playback:
          Channels: 2
          Rates: 48000, 44100
      Capture:
          Channels: 1
          Rates: 16000, 48000
      """)
    try write("asound/USB/pcm0p/sub0/status", "state: RUNNING\nowner_pid   : 8\n")
    try write("asound/USB/pcm0c/sub0/status", "closed\n")
    try write("8/status", "Name:\tmpv/ao\nTgid:\t7\n")
    try write("7/comm", "mpv\n")
    let details = DeviceDetails(of: device, root: FilePath(folder.url))
    #expect(details.rates == [16_000, 44_100, 48_000] && details.channels == [1, 2])
    #expect(details.holders == [DeviceHolder(name: "mpv", processID: 7)])
    #expect(
      [device].tableLines { _ in details } == [
        "  DEVICE             DIRECTION          RATES              CHANNELS  USED BY          NAME",
        "  hw:CARD=USB,DEV=0  playback, capture  16000 44100 48000  1 2       mpv (process 7)  Headset",
      ])
    #expect(
      try JSONRecord(device, details).jsonLine().hasSuffix(
        #""rates":[16000,44100,48000],"usedBy":[{"process":7,"program":"mpv"}],"virtual":false}"#))
  }

  @Test
  func `the rates of an HDA codec are used only for a card with one device`() throws {
    try write("asound/USB/pcm0p/info", "")
    try write(
      "asound/USB/codec#0",
      "Default PCM:\n    rates [0x0]:\n  PCM:\n    rates [0x560]: 44100 48000 96000\n")
    let root = FilePath(folder.url)
    #expect(DeviceDetails(of: device, root: root).rates == [44_100, 48_000, 96_000])
    try write("asound/USB/pcm3p/info", "")
    #expect(DeviceDetails(of: device, root: root).rates == [])
  }

  @Test
  func `plug-ins and servers have no hardware details`() {
    for id in ["default", "pulse", "virtual", "hw:CARD=../x,DEV=0"] {
      let device = AudioDevice(id: .init(rawValue: id), name: "", directions: [.playback])
      #expect(
        DeviceDetails(of: device, root: FilePath(folder.url))
          == DeviceDetails(of: device, root: "/nowhere"))
    }
  }

  private func write(_ path: String, _ text: String) throws {
    let file = folder.file(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }
}

import AudioCore
import Foundation
import SoundCard
import Testing

@testable import ALSASoundCard

@Suite struct HolderSearchTests {
  @Test func `the process of the thread that opened the device is the holder`() throws {
    let proc = try FakeProc()
    try proc.write("PCH\n", to: "asound/card1/id")
    try proc.write("closed\n", to: "asound/card1/pcm0p/sub0/status")
    try proc.write(
      "state: RUNNING\nowner_pid   : 4713\ntrigger_time: 1.0\n",
      to: "asound/card1/pcm0p/sub1/status")
    try proc.write("Name:\talsa-sink\nTgid:\t4711\nPid:\t4713\n", to: "4713/status")
    try proc.write("aplay\n", to: "4711/comm")
    let aplay = DeviceHolder(name: "aplay", processID: 4_711)
    #expect(proc.search.holder(of: "hw:CARD=PCH,DEV=0", for: .playback) == aplay)
    #expect(proc.search.holder(of: "plughw:1", for: .playback) == aplay)
    #expect(proc.search.holder(of: "hw:CARD=PCH,DEV=0", for: .capture) == nil)
    #expect(proc.search.holder(of: "hw:CARD=PCH,DEV=1", for: .playback) == nil)
    #expect(proc.search.holder(of: "hw:CARD=Other", for: .playback) == nil)
    #expect(proc.search.holder(of: "pulse", for: .playback) == nil)
  }

  /// Returns a `/proc` in which aplay uses device 3 of the second card, mpv uses the third card,
  /// and the first card is free.
  private func busyCards() throws -> FakeProc {
    let proc = try FakeProc()
    try proc.write("PCH\n", to: "asound/card0/id")
    try proc.write("closed\n", to: "asound/card0/pcm0p/sub0/status")
    try proc.hold("USB", 1, "pcm3p", by: "aplay", 41)
    try proc.hold("HDMI", 2, "pcm0p", by: "mpv", 42)
    try proc.hold("HDMI", 2, "pcm0c", by: "arecord", 43)
    return proc
  }

  @Test(arguments: [
    ("sysdefault:CARD=USB", "aplay"), ("front:CARD=USB,DEV=0", "aplay"), ("hdmi:HDMI", "mpv"),
    ("usbstream:CARD=HDMI", "mpv"), ("dmix:CARD=USB,DEV=3", "aplay"), ("dmix:CARD=USB", nil),
    ("hw:USB", nil), ("front:CARD=PCH", nil), ("mine", nil), ("default", nil), ("pulse", nil),
  ])
  func `for a name with a card, the program on that card is the holder, unless the device is free`(
    name: String, holder: String?
  ) throws {
    let proc = try busyCards()
    defer { withExtendedLifetime(proc) {} }
    let found = proc.search.holder(of: AudioDevice.ID(rawValue: name), for: .playback)
    #expect(found?.name == holder)
  }

  @Test(arguments: ["mine", "default", "asym:whatever"])
  func `for a name without a card, the only program that uses a device is the holder`(name: String)
    throws
  {
    let proc = try busyCards()
    defer { withExtendedLifetime(proc) {} }
    var search = proc.search
    search.defaultRoute = { .userDefined }
    let found = search.holder(of: AudioDevice.ID(rawValue: name), for: .capture)
    #expect(found == DeviceHolder(name: "arecord", processID: 43, isGuess: true))
  }

  @Test(arguments: [
    "pulse", "pulse:DEVICE=x", "pipewire", "pipewire:NODE=7", "jack", "jack:mine",
  ])
  func `the program that holds a card is not reported as the holder of a sound server`(name: String)
    throws
  {
    let proc = try busyCards()
    defer { withExtendedLifetime(proc) {} }
    #expect(proc.search.holder(of: AudioDevice.ID(rawValue: name), for: .capture) == nil)
  }

  @Test(arguments: [("hw:2", false), ("dsnoop:HDMI", false), ("sysdefault:HDMI", true)])
  func `the holder is marked as a guess if the name does not identify one device`(
    name: String, isGuess: Bool
  ) throws {
    let proc = try busyCards()
    defer { withExtendedLifetime(proc) {} }
    let found = proc.search.holder(of: AudioDevice.ID(rawValue: name), for: .capture)
    #expect(found?.isGuess == isGuess)
  }

  @Test func `the device name 'default' refers to the configured card or to a server`() throws {
    let proc = try busyCards()
    defer { withExtendedLifetime(proc) {} }
    var search = proc.search
    search.defaultCard = { "2" }
    #expect(search.holder(of: "default", for: .playback)?.name == "mpv")
    search.defaultRoute = { .userDefined }
    #expect(search.holder(of: "default", for: .playback) == nil)
    search.defaultRoute = { .server(plugin: "pulse") }
    #expect(search.holder(of: "default", for: .capture) == nil)
  }

  @Test func `a holder that has ended or is hidden is not reported`() throws {
    let proc = try FakeProc()
    try proc.write("state: RUNNING\nowner_pid   : 99\n", to: "asound/card0/pcm2c/sub0/status")
    #expect(proc.search.holder(of: "hw:0,2", for: .capture) == nil)
  }

  @Test func `without card information, there is no holder`() throws {
    let proc = try FakeProc()
    #expect(proc.search.holder(of: "hw:0", for: .playback) == nil)
    #expect(proc.search.holder(of: "default", for: .playback) == nil)
  }

  @Test func `a busy device's error names its holder`() {
    let error = SoundCardError.busy("hw:0", holder: DeviceHolder(name: "aplay", processID: 4_711))
    #expect(
      "\(error)"
        == "the device \"hw:0\" is in use by aplay (process 4711); "
        + "close that program or choose another device")
    let holder = DeviceHolder(name: "aplay", processID: 4_711, isGuess: true)
    #expect(
      "\(SoundCardError.busy("mine", holder: holder))"
        .hasPrefix("the device \"mine\" is in use, apparently by aplay (process 4711); "))
  }
}

/// A folder in place of `/proc`, which is removed with this object.
private final class FakeProc {
  private let root = FileManager.default.temporaryDirectory
    .appending(path: "syrinx-proc-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  var search: HolderSearch {
    HolderSearch(root: root.path(), defaultRoute: { .firstCard }, defaultCard: { "0" })
  }

  /// Records that a program uses one direction of a card's device.
  func hold(_ card: String, _ number: Int, _ side: String, by name: String, _ id: Int) throws {
    try write("\(card)\n", to: "asound/card\(number)/id")
    let status = "state: RUNNING\nowner_pid   : \(id)\n"
    try write(status, to: "asound/card\(number)/\(side)/sub0/status")
    try write("\(name)\n", to: "\(id)/comm")
  }

  func write(_ text: String, to path: String) throws {
    let file = root.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }
}

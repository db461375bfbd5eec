import AudioCore
import Foundation
import SoundCard
import Testing

@testable import ALSASoundCard

@Suite struct HolderSearchTests {
  @Test func `the process whose thread has the device is its holder`() throws {
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

  @Test func `a holder that has just ended, or hides, is none`() throws {
    let proc = try FakeProc()
    try proc.write("state: RUNNING\nowner_pid   : 99\n", to: "asound/card0/pcm2c/sub0/status")
    #expect(proc.search.holder(of: "hw:0,2", for: .capture) == nil)
  }

  @Test func `where nothing tells of cards there is no holder`() throws {
    let proc = try FakeProc()
    #expect(proc.search.holder(of: "hw:0", for: .playback) == nil)
    #expect(proc.search.holder(of: "default", for: .playback) == nil)
  }

  @Test func `a busy device's error names who has it`() {
    let error = SoundCardError.busy("hw:0", holder: DeviceHolder(name: "aplay", processID: 4_711))
    #expect(
      "\(error)"
        == "the device \"hw:0\" is in use by aplay (process 4711); "
        + "close that program or choose another device")
  }
}

/// A folder in place of `/proc`, removed at the end.
private final class FakeProc {
  private let root = FileManager.default.temporaryDirectory
    .appending(path: "syrinx-proc-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  var search: HolderSearch { HolderSearch(root: root.path()) }

  func write(_ text: String, to path: String) throws {
    let file = root.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }
}

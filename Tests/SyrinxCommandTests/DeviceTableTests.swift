import AudioCore
import Testing

@testable import SyrinxCommand

struct DeviceTableTests {
  @Test
  func `the default is marked, virtual devices say so, and columns stand in line`() {
    let card = AudioDevice(
      id: "default", name: "A card\nwith two lines", directions: [.playback, .capture],
      isDefault: true)
    let lines = DeviceTable(devices: [card, .virtualPlayback]).lines
    #expect(
      lines == [
        "* default  playback, capture  A card, with two lines (default)",
        "  virtual  playback           virtual: takes sound in real time, without hardware",
      ])
  }

  @Test
  func `of no devices there is no line`() {
    #expect(DeviceTable(devices: []).lines.isEmpty)
  }
}

import AudioCore
import Testing

@testable import SyrinxCommand

struct DeviceRecordTests {
  @Test
  func `a device is one line that tells all of it`() throws {
    let device = AudioDevice(
      id: "hw:CARD=PCH,DEV=0", name: "PCH\nAnalog", directions: [.capture], isDefault: true)
    #expect(
      try DeviceRecord(device).jsonLine() == #"""
        {"capture":true,"default":true,"id":"hw:CARD=PCH,DEV=0","name":"PCH\nAnalog",\#
        "playback":false,"virtual":false}
        """#)
  }
}

import AudioCore
import Testing

@testable import ALSASoundCard

@Suite struct HardwareAddressTests {
  @Test(arguments: [
    ("hw:CARD=PCH,DEV=3", "PCH", 3), ("hw:1,2", "1", 2), ("plughw:1", "1", 0), ("hw", "0", 0),
    ("hw:DEV=2,CARD=USB", "USB", 2), ("hw:0,1,5", "0", 1), ("sysdefault:CARD=PCH", "PCH", 0),
    ("default", "0", 0),
  ])
  func `the name of a card's device tells card and device`(
    name: String, card: String, device: Int
  ) throws {
    let address = try #require(HardwareAddress(AudioDevice.ID(rawValue: name)))
    #expect(address.card == card)
    #expect(address.device == device)
  }

  @Test(arguments: ["pulse", "pipewire", "jack:x", "", "syrinxtest:SCRIPT='hw:0'"])
  func `other names tell nothing`(name: String) {
    #expect(HardwareAddress(AudioDevice.ID(rawValue: name)) == nil)
  }
}

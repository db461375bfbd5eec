import AudioCore
import Testing

@testable import ALSASoundCard

@Suite struct HolderSearchHardwareTests {
  @Test(
    arguments: [
      ("hw:CARD=PCH,DEV=3", "PCH", 3), ("hw:1,2", "1", 2), ("plughw:1", "1", 0), ("hw", "7", 0),
      ("hw:DEV=2,CARD=USB", "USB", 2), ("hw:0,1,5", "0", 1), ("dsnoop", "7", 0),
      ("dmix:CARD=PCH,DEV=1", "PCH", 1), ("sysdefault:CARD=PCH", "PCH", nil),
      ("front:USB,1", "USB", nil), ("hdmi:CARD=PCH,DEV=1", "PCH", nil), ("default", "7", nil),
      ("usbstream:CARD=USB", "USB", nil), ("mine", nil, nil), ("mine:1,2", nil, nil),
      ("syrinxtest:SCRIPT='hw:0'", nil, nil), ("", nil, nil),
    ] as [(String, String?, Int?)])
  func `the card and the device are read from a PCM name if it contains them`(
    name: String, card: String?, device: Int?
  ) {
    let address = AudioDevice.ID(rawValue: name).hardware(defaultCard: "7")
    #expect(address.card == card)
    #expect(address.device == device)
  }
}

import Testing

@testable import ALSASoundCard

@Suite struct PackedInt24Tests {
  @Test(arguments: [0, 1, -1, 0x12_3456, -0x12_3456, 0x7f_ffff, -0x80_0000] as [Int32])
  func `a 24-bit number is unchanged after encoding and decoding`(number: Int32) {
    #expect(PackedInt24(number).value == number)
  }

  @Test func `numbers are stored contiguously as three native-endian bytes`() {
    let bytes = [PackedInt24(0x01_0203), PackedInt24(-2)].withUnsafeBytes { Array($0) }
    #if _endian(little)
    #expect(bytes == [0x03, 0x02, 0x01, 0xfe, 0xff, 0xff])
    #else
    #expect(bytes == [0x01, 0x02, 0x03, 0xff, 0xff, 0xfe])
    #endif
  }
}

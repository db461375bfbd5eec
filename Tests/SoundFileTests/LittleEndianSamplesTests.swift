import Testing

@testable import SoundFile

@Suite struct LittleEndianSamplesTests {
  @Test(
    arguments: [
      (.int16, [0xFF, 0x7F, 0x00, 0x80, 0x00, 0x40]),
      (.int24, [0xFF, 0xFF, 0x7F, 0x00, 0x00, 0x80, 0x00, 0x00, 0x40]),
      (.int32, [0xFF, 0xFF, 0xFF, 0x7F, 0, 0, 0, 0x80, 0, 0, 0, 0x40]),
      (.float, [0, 0, 0x80, 0x3F, 0, 0, 0x80, 0xBF, 0, 0, 0, 0x3F]),
    ] as [(SoundFileEncoding.SampleFormat, [UInt8])])
  func `the lowest byte comes first`(format: SoundFileEncoding.SampleFormat, expected: [UInt8]) {
    var bytes = [UInt8](repeating: 0x55, count: 3 * format.byteCount)
    bytes.withUnsafeMutableBytes {
      LittleEndianSamples.encode([1, -1, 0.5], as: format, into: $0)
    }
    #expect(bytes == expected)
  }
}

import AudioCore
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
  func `encoded samples are little-endian`(
    format: SoundFileEncoding.SampleFormat, expected: [UInt8]
  ) {
    var bytes = [UInt8](repeating: 0x55, count: 3 * format.byteCount)
    var dither = Dither()
    [1, -1, 0.5].withUnsafeBufferPointer { samples in
      bytes.withUnsafeMutableBytes { format.encode(samples, into: $0, dither: &dither) }
    }
    #expect(bytes == expected)
  }

  @Test func `16-bit dither noise continues across blocks`() {
    let quarter = [Float](repeating: 0.25 / 32_768, count: 1_000)
    let once = encoded([quarter])
    let twice = encoded([Array(quarter[..<300]), Array(quarter[300...])])
    #expect(once == twice)
    #expect(Set(once) == [0, 1, 255])
  }

  private func encoded(_ blocks: [[Float]]) -> [UInt8] {
    var dither = Dither()
    return blocks.flatMap { block in
      var bytes = [UInt8](repeating: 0, count: 2 * block.count)
      block.withUnsafeBufferPointer { samples in
        bytes.withUnsafeMutableBytes {
          SoundFileEncoding.SampleFormat.int16.encode(samples, into: $0, dither: &dither)
        }
      }
      return bytes
    }
  }
}

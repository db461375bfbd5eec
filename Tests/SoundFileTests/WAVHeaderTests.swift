import Testing

@testable import SoundFile

@Suite struct WAVHeaderTests {
  private func number(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private func chunk(_ name: String, _ content: [UInt8], size: Int? = nil) -> [UInt8] {
    Array(name.utf8) + number(size ?? content.count, 4) + content
      + (content.count % 2 == 1 ? [0] : [])
  }

  private func format(_ tag: Int, blockAlign: Int) -> [UInt8] {
    chunk(
      "fmt ", number(tag, 2) + [UInt8](repeating: 0, count: 10) + number(blockAlign, 2) + [16, 0])
  }

  private func header(_ chunks: [[UInt8]]) -> WAVHeader? {
    let file = Array("RIFF0000WAVE".utf8) + chunks.flatMap { $0 }
    return WAVHeader { offset, count in Array(file.dropFirst(offset).prefix(count)) }
  }

  @Test(arguments: [1, 3, 6, 7, 0xFFFE])
  func `the promise is the size of the data in frames`(tag: Int) {
    let found = header([format(tag, blockAlign: 4), chunk("data", [], size: 4_000)])
    #expect(found?.promisedFrames == 1_000)
  }

  @Test func `other chunks before the data are passed over, also those of odd length`() {
    let found = header([
      chunk("LIST", [1, 2, 3]), format(1, blockAlign: 2), chunk("junk", []),
      chunk("data", [], size: 10),
    ])
    #expect(found?.promisedFrames == 5)
  }

  @Test(arguments: [0, 0x7FFF_FFFF, 0xFFFF_FFFF])
  func `a size that a streaming writer puts in promises nothing`(size: Int) {
    #expect(header([format(1, blockAlign: 2), chunk("data", [], size: size)]) == nil)
  }

  @Test func `an encoding in blocks promises nothing that we can tell`() {
    #expect(header([format(2, blockAlign: 512), chunk("data", [], size: 512)]) == nil)
  }

  @Test func `a file that ends in its header promises nothing`() {
    #expect(header([format(1, blockAlign: 2)]) == nil)
    #expect(header([]) == nil)
    #expect(header([chunk("data", [], size: 8)]) == nil)
  }

  @Test func `a file of empty chunks is given up`() {
    #expect(header(Array(repeating: chunk("junk", []), count: 1_000)) == nil)
  }
}

import Testing

@testable import SoundFile

@Suite struct SoundFileHeaderTests {
  private func number(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private func chunk(_ name: String, _ content: [UInt8], size: Int? = nil) -> [UInt8] {
    Array(name.utf8) + number(size ?? content.count, 4) + content
      + (content.count % 2 == 1 ? [0] : [])
  }

  private func format(_ tag: Int, bits: Int = 16) -> [UInt8] {
    chunk("fmt ", number(tag, 2) + [UInt8](repeating: 0, count: 12) + number(bits, 2))
  }

  private func header(_ chunks: [[UInt8]], _ start: String = "RIFF0000WAVE") throws
    -> SoundFileHeader
  {
    let file = Array(start.utf8) + chunks.flatMap { $0 }
    return try SoundFileHeader { offset, count in Array(file.dropFirst(offset).prefix(count)) }
  }

  @Test func `the size of an ASF file is read from its properties, and a broadcast has no size`()
    throws
  {
    let guid: [UInt8] = [
      0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0, 0xAA, 0, 0x62, 0xCE, 0x6C,
    ]
    let properties: [UInt8] = [
      0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11, 0x8E, 0xE4, 0, 0xC0, 0x0C, 0x20, 0x53, 0x65,
    ]
    for (flags, size) in [(2, 5_000_000_000), (3, nil)] as [(Int, Int?)] {
      let other = [UInt8](repeating: 7, count: 16) + number(30, 8) + number(0, 6)
      let content = number(0, 16) + number(5_000_000_000, 8) + number(0, 40) + number(flags, 16)
      let file = guid + number(0, 14) + other + properties + number(104, 8) + content
      let found = try SoundFileHeader { Array(file.dropFirst($0).prefix($1)) }
      #expect(found.promisedLength == size)
    }
  }

  @Test(
    arguments: [(5e9, 5_000_000_000), (0, nil), (.nan, nil), (-.infinity, nil), (1e300, nil)]
      as [(Double, Int?)])
  func `the size of an FLV file is read from its metadata unless that size is impossible`(
    value: Double, size: Int?
  ) throws {
    let name = [0, 8] + Array("filesize".utf8) + [0]
    let bits = number(Int(truncatingIfNeeded: value.bitPattern), 8)
    let file = Array("FLV\u{1}".utf8) + number(0, 30) + name + bits.reversed()
    let found = try SoundFileHeader { Array(file.dropFirst($0).prefix($1)) }
    #expect(found.promisedLength == size)
  }

  @Test func `the announced end is the end of the data chunk`() throws {
    let found = try header([format(1), chunk("data", [], size: 4_000)])
    #expect(found.promisedLength == 12 + 24 + 8 + 4_000)
    #expect(found.isStreamable)
  }

  @Test func `chunks before the data are skipped, even those of odd length`() throws {
    let found = try header([
      chunk("LIST", [1, 2, 3]), format(1), chunk("junk", []), chunk("data", [], size: 10),
    ])
    #expect(found.promisedLength == 12 + 12 + 24 + 8 + 8 + 10)
  }

  @Test(arguments: [0, 0x7FFF_FFFF, 0xFFFF_FFFF])
  func `a placeholder size of a streaming writer announces no length`(size: Int) throws {
    #expect(try header([format(1), chunk("data", [], size: size)]).promisedLength == nil)
  }

  @Test func `RF64 announces the size of its data in the ds64 chunk`() throws {
    let sizes = chunk("ds64", number(0, 8) + number(1 << 33, 8) + number(0, 12))
    let found = try header(
      [sizes, format(1), chunk("data", [], size: 0xFFFF_FFFF)], "RF640000WAVE")
    #expect(found.promisedLength == 12 + 36 + 24 + 8 + 1 << 33)
  }

  @Test
  func `a WAV file with GSM or more than 32 bits is not streamable`()
    throws
  {
    #expect(try header([format(0x31), chunk("data", [], size: 65)]).isStreamable == false)
    #expect(try header([format(1, bits: 48), chunk("data", [], size: 60)]).isStreamable == false)
  }

  @Test func `a file that ends in its header, or has only empty chunks, announces no length`()
    throws
  {
    #expect(try header([format(1)]).promisedLength == nil)
    #expect(try header([format(1)]).isStreamable == false)
    #expect(try header([]).promisedLength == nil)
    #expect(try header(Array(repeating: chunk("junk", []), count: 1_000)).promisedLength == nil)
  }

  @Test func `a header with sizes near the integer limits announces no length`() throws {
    let zeros = [UInt8](repeating: 0, count: 36)
    for name in ["data", "junk"] {
      let chunk = Array(name.utf8) + zeros.prefix(12) + number(.min, 8)
      #expect(try header([zeros, chunk], "riff").promisedLength == nil)
    }
    let counts = "sample_count -i 9\nsample_n_bytes -i 2\nchannel_count -i 1\n"
    #expect(try header([], "NIST_1A\n\(Int.max)\n\(counts)").promisedLength == nil)
  }
}

import Testing

@testable import SoundFile

@Suite struct FileKindTests {
  private func kind(_ bytes: [UInt8]) throws -> FileKind? {
    try FileKind { offset, count in Array(bytes.dropFirst(offset).prefix(count)) }
  }

  @Test(arguments: [
    ("RIFF\0\0\0\0WAVEfmt ", FileKind.Reading.streaming), ("RIFF\0\0\0\0AVI LIST", .ffmpeg),
    ("RIFF\0\0\0\0ACON", .nothing), ("FORM\0\0\0\u{9}AIFFCOMM", .streaming),
    ("FORM\0\0\0\u{9}8SVXVHDR", .seeking), ("FORM\0\0\0\u{9}ILBMBMHD", .nothing),
    ("fLaC", .flac), ("caff", .seeking), ("\0\0\0\u{20}ftypM4A ", .ffmpeg),
    ("MAC \u{96}", .ffmpeg), ("MThd\0\0", .nothing), ("%PDF-1.4", .nothing),
    ("Hello, world", nil), ("", nil), ("RIF", nil),
  ])
  func `a container is identified by its first bytes`(
    bytes: String, reading: FileKind.Reading?
  ) throws {
    #expect(try kind(Array(bytes.utf8))?.reading == reading)
  }

  @Test(arguments: [
    ("\u{1}vorbis", FileKind.Reading.streaming), ("OpusHead", .streaming), ("Speex   ", .ffmpeg),
    ("\u{7F}FLAC", .ffmpeg), ("\u{2}theora", .ffmpeg),
  ])
  func `an Ogg file is identified by its first packet`(
    packet: String, reading: FileKind.Reading
  ) throws {
    let page = Array("OggS".utf8) + [UInt8](repeating: 0, count: 24)
    #expect(try kind(page + Array(packet.utf8))?.reading == reading)
  }

  @Test(
    arguments: [
      ([0xFF, 0xFB, 0x90, 0x64], .mpeg), ([0xFF, 0xF6, 0x90, 0x64], .mpeg),
      ([0xFF, 0xF1, 0x50, 0x80], .ffmpeg), ([0xFF, 0xD8, 0xFF, 0xE0], .nothing),
      ([0xFF, 0xFB, 0xFF, 0x64], nil), ([0xFF, 0x00, 0, 0], nil), ([0xFF], nil),
    ] as [([UInt8], FileKind.Reading?)])
  func `an MPEG stream is identified by its first header`(
    bytes: [UInt8], reading: FileKind.Reading?
  ) throws {
    #expect(try kind(bytes)?.reading == reading)
  }

  @Test func `the length in an ID3 header uses seven bits of each byte`() {
    #expect(FileKind.tagLength(Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 2]) == 140)
    #expect(FileKind.tagLength(Array("ID3".utf8) + [4, 0, 0, 0]) == 0)
    #expect(FileKind.tagLength(Array("fLaC, no tag".utf8)) == 0)
  }

  @Test func `MP3 after zeros is identified if three consecutive MPEG frames follow`() throws {
    let block = [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 413)
    let zeros = [UInt8](repeating: 0, count: 2_000)
    #expect(try kind(zeros + block + block + block)?.reading == .mpeg)
    #expect(try kind(zeros + block + block + zeros) == nil)
  }
}

import Testing

@testable import SoundFile

@Suite struct FileKindTests {
  @Test(arguments: [
    ("RIFF\u{0}\u{0}\u{0}\u{0}WAVEfmt ", FileKind.streamable),
    ("RIFF\u{0}\u{0}\u{0}\u{0}AVI LIST", .foreign("an AVI video")),
    ("OggS", .streamable), ("ID3", .streamable), ("fLaC", .needsSeeking), ("caff", .needsSeeking),
    ("\u{0}\u{0}\u{0}\u{20}ftypM4A ", .foreign("MPEG-4 or AAC (M4A, MP4)")),
    ("Hello, world", .unknown), ("", .unknown), ("RIF", .unknown),
  ])
  func `a container is known by its first bytes`(bytes: String, kind: FileKind) {
    #expect(FileKind(Array(bytes.utf8)) == kind)
  }

  @Test(
    arguments: [
      ([0xFF, 0xFB, 0x90], FileKind.streamable), ([0xFF, 0xF1, 0x50], .foreign("AAC (ADTS)")),
      ([0xFF, 0x00], .unknown), ([0xFF], .unknown),
    ] as [([UInt8], FileKind)])
  func `an MPEG stream is known by its sync word and layer`(bytes: [UInt8], kind: FileKind) {
    #expect(FileKind(bytes) == kind)
  }
}

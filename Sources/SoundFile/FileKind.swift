/// What the first bytes of a file say about it.
enum FileKind: Equatable {
  /// Audio that libsndfile reads from beginning to end, so also from a pipe.
  case streamable
  /// Audio that libsndfile has to seek in.
  case needsSeeking
  /// A known container that libsndfile does not read.
  case foreign(String)
  /// Nothing that is known.
  case unknown

  init(_ bytes: [UInt8]) {
    let found = Self.signatures.first { $0.matches(bytes) }
    self = found?.kind ?? .unknown
  }

  private struct Signature {
    let offset: Int
    let bytes: [UInt8]
    let kind: FileKind

    init(_ text: String, at offset: Int = 0, _ kind: FileKind) {
      self.init(Array(text.utf8), at: offset, kind)
    }

    init(_ bytes: [UInt8], at offset: Int = 0, _ kind: FileKind) {
      (self.bytes, self.offset, self.kind) = (bytes, offset, kind)
    }

    func matches(_ file: [UInt8]) -> Bool {
      file.count >= offset + bytes.count && file[offset...].starts(with: bytes)
    }
  }

  private static let signatures: [Signature] =
    containers + foreignContainers + elementaryStreams

  private static let containers: [Signature] = [
    Signature("AVI ", at: 8, .foreign("an AVI video")),
    Signature("WEBP", at: 8, .foreign("a WebP picture")),
    Signature("RIFF", .streamable),
    Signature("RIFX", .streamable),
    Signature("FORM", .streamable),
    Signature(".snd", .streamable),
    Signature("OggS", .streamable),
    Signature("ID3", .streamable),
    Signature("fLaC", .needsSeeking),
    Signature("caff", .needsSeeking),
    Signature("RF64", .needsSeeking),
    Signature("riff", .needsSeeking),
    Signature("Creative Voice", .needsSeeking),
    Signature("NIST_1A", .needsSeeking),
  ]

  private static let foreignContainers: [Signature] = [
    Signature("ftyp", at: 4, .foreign("MPEG-4 or AAC (M4A, MP4)")),
    Signature([0x1A, 0x45, 0xDF, 0xA3], .foreign("Matroska or WebM")),
    Signature([0x30, 0x26, 0xB2, 0x75], .foreign("Windows Media (WMA)")),
    Signature("wvpk", .foreign("WavPack")),
    Signature("MAC ", .foreign("Monkey's Audio")),
    Signature("TTA1", .foreign("True Audio")),
    Signature("MThd", .foreign("MIDI, notes without sound")),
    Signature("#!AMR", .foreign("AMR")),
  ]

  /// MPEG's sync word and layer; layer 0 is AAC.
  private static let elementaryStreams: [Signature] =
    [0xF0, 0xF1, 0xF8, 0xF9].map { Signature([0xFF, $0], .foreign("AAC (ADTS)")) }
    + [0xE2, 0xE3, 0xE4, 0xE5, 0xF2, 0xF3, 0xF4, 0xF5, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF]
    .map { Signature([0xFF, $0], .streamable) }
}

/// The kind of a file by its first bytes.
struct FileKind: Equatable {
  /// The decoder.
  enum Reading {
    /// libsndfile, sequentially, so also from a pipe.
    case streaming
    /// libsndfile with seeking: some of its parsers never end at the end of a pipe.
    case seeking
    /// libmpg123, also from a pipe.
    case mpeg
    /// libFLAC, also from a pipe.
    case flac
    /// FFmpeg, if it is installed.
    case ffmpeg
    /// None: the file contains no audio.
    case nothing
  }

  /// The human-readable name with its article.
  let name: String
  let reading: Reading

  init(_ name: String, _ reading: Reading) {
    (self.name, self.reading) = (name, reading)
  }

  /// The number of bytes to search for MPEG blocks in a file of an unknown kind.
  static let mostBytesBeforeMPEG = 1 << 16

  /// - Parameter bytes: returns up to this many bytes at an offset after a tag.
  /// - Returns: nil for an unknown kind.
  init?(
    bytes: (_ offset: Int, _ count: Int) throws(SoundFileError) -> [UInt8]
  ) throws(SoundFileError) {
    let first = try bytes(0, 48)
    if let found = Self.signatures.first(where: { $0.matches(first) }) {
      self = found.kind
    } else {
      var isMPEG = Self.isMPEG(first)
      if !isMPEG { isMPEG = Self.holdsMPEG(try bytes(0, Self.mostBytesBeforeMPEG)) }
      guard isMPEG else { return nil }
      self.init("MPEG audio", .mpeg)
    }
  }

  /// The size of an ID3 tag before the audio, stored with 7 bits per byte; 0 without a tag.
  static func tagLength(_ head: [UInt8]) -> Int {
    guard head.count >= 10, head.starts(with: "ID3".utf8) else { return 0 }
    return 10 + head[6..<10].reduce(0) { $0 << 7 | Int($1 & 0x7F) }
  }

  /// Whether the bytes begin an MPEG audio block: sync word, layer, bit rate, and sample rate.
  private static func isMPEG(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return false }
    return bytes[1] & 0x18 != 0x08 && bytes[1] & 0x06 != 0
      && bytes[2] & 0xF0 != 0xF0 && bytes[2] & 0x0C != 0x0C
  }

  /// Whether the bytes contain two consecutive MP3 blocks, for example after zeros.
  private static func holdsMPEG(_ bytes: [UInt8]) -> Bool {
    let header = { (index: Int) -> MPEGFrameHeader? in
      guard index + 4 <= bytes.count, bytes[index] == 0xFF else { return nil }
      return MPEGFrameHeader(bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    return bytes.indices.contains { index in
      header(index).map { header(index + $0.byteCount) != nil } ?? false
    }
  }
}

private struct Signature {
  let parts: [(offset: Int, bytes: [UInt8])]
  let kind: FileKind

  init(_ text: String, at offset: Int = 0, _ name: String, _ reading: FileKind.Reading) {
    self.init(Array(text.utf8), at: offset, name, reading)
  }

  init(_ bytes: [UInt8], at offset: Int = 0, _ name: String, _ reading: FileKind.Reading) {
    (parts, kind) = ([(offset, bytes)], FileKind(name, reading))
  }

  /// A second signature further on identifies the contents of a container.
  init(
    _ text: String, _ inner: String, at offset: Int = 8, _ name: String,
    _ reading: FileKind.Reading
  ) {
    parts = [(0, Array(text.utf8)), (offset, Array(inner.utf8))]
    kind = FileKind(name, reading)
  }

  func matches(_ file: [UInt8]) -> Bool {
    parts.allSatisfy { part in
      file.count >= part.offset + part.bytes.count
        && file[part.offset...].starts(with: part.bytes)
    }
  }
}

extension FileKind {
  fileprivate static let signatures: [Signature] =
    containers + ogg + foreign + silent

  private static let containers: [Signature] = [
    Signature("RIFF", "WAVE", "a WAV file", .streaming),
    Signature("RIFX", "WAVE", "a WAV file", .streaming),
    Signature("FORM", "AIFF", "an AIFF file", .streaming),
    Signature("FORM", "AIFC", "an AIFF file", .streaming),
    Signature("FORM", "8SVX", "an IFF file (8SVX)", .seeking),
    Signature("FORM", "16SV", "an IFF file (16SV)", .seeking),
    Signature(".snd", "an AU file", .streaming),
    Signature("fLaC", "a FLAC file", .flac),
    Signature("caff", "a CAF file", .seeking),
    Signature("RF64", "WAVE", "an RF64 file", .seeking),
    Signature("riff\u{2E}", "a Wave64 file", .seeking),
    Signature("Creative Voice File", "a VOC file", .seeking),
    Signature("NIST_1A", "a NIST SPHERE file", .seeking),
  ]

  /// The first packet is at offset 28.
  private static let ogg: [Signature] = [
    Signature("OggS", "\u{1}vorbis", at: 28, "an Ogg Vorbis file", .streaming),
    Signature("OggS", "OpusHead", at: 28, "an Opus file", .streaming),
    Signature("OggS", "Speex   ", at: 28, "a Speex file", .ffmpeg),
    Signature("OggS", "\u{7F}FLAC", at: 28, "FLAC in an Ogg file", .ffmpeg),
    Signature("OggS", "an Ogg file without Vorbis or Opus", .ffmpeg),
  ]

  private static let foreign: [Signature] =
    [
      Signature("RIFF", "AVI ", "an AVI video", .ffmpeg),
      Signature("ftyp", at: 4, "an MPEG-4 file (M4A or MP4)", .ffmpeg),
      Signature([0x1A, 0x45, 0xDF, 0xA3], "a Matroska or WebM file", .ffmpeg),
      Signature([0x30, 0x26, 0xB2, 0x75], "a Windows Media file (WMA)", .ffmpeg),
      Signature("wvpk", "a WavPack file", .ffmpeg),
      Signature("MAC ", "a Monkey's Audio file (APE)", .ffmpeg),
      Signature("TTA1", "a True Audio file", .ffmpeg),
      Signature("MPCK", "a Musepack file", .ffmpeg),
      Signature("MP+", "a Musepack file", .ffmpeg),
      Signature("DSD ", "a DSD file (DSF)", .ffmpeg),
      Signature("FRM8", "a DSD file (DFF)", .ffmpeg),
      Signature("#!AMR", "an AMR file", .ffmpeg),
      Signature("FLV\u{1}", "a Flash video", .ffmpeg),
      Signature([0x0B, 0x77], "Dolby Digital (AC-3)", .ffmpeg),
      // libsndfile reads it, but prints its problems to standard output.
      Signature([0xF0, 0x7E], "a MIDI sample dump (SDS)", .ffmpeg),
    ] + [0xF0, 0xF1, 0xF8, 0xF9].map { Signature([0xFF, $0], "AAC (ADTS)", .ffmpeg) }

  private static let silent: [Signature] = [
    Signature("MThd", "a MIDI file (notes only)", .nothing),
    Signature("RIFF", "WEBP", "a WebP picture", .nothing),
    Signature("RIFF", "a RIFF file without WAV in it", .nothing),
    Signature("FORM", "an IFF file without sound in it", .nothing),
    Signature([0x89, 0x50, 0x4E, 0x47], "a PNG picture", .nothing),
    Signature([0xFF, 0xD8, 0xFF], "a JPEG picture", .nothing),
    Signature("GIF8", "a GIF picture", .nothing),
    Signature("%PDF", "a PDF document", .nothing),
    Signature("PK\u{3}\u{4}", "a ZIP archive", .nothing),
    Signature([0x1F, 0x8B], "a gzip-compressed file", .nothing),
    Signature([0x7F, 0x45, 0x4C, 0x46], "a program (ELF)", .nothing),
  ]
}

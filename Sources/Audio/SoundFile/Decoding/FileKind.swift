/// The kind of a file, and the first bytes that identify it.
struct FileKind: Equatable {
  /// The decoder for a kind of file.
  enum Reading {
    /// libsndfile, which reads this kind sequentially, even from a pipe.
    case streaming
    /// libsndfile, but only from a file: at the end of a pipe, its parser may never return.
    case seeking
    /// libmpg123, which also reads from a pipe.
    case mpeg
    /// libFLAC, which also reads from a pipe.
    case flac
    /// FFmpeg, if it is installed.
    case ffmpeg
    /// No decoder: the file contains no audio.
    case nothing
  }

  /// The human-readable name for use in a sentence, such as `an Opus file`.
  let name: String
  let reading: Reading
  /// The names of the FFmpeg demuxers that are allowed to read the file.
  let demuxers: [String]
  /// The bytes that identify a file of this kind, by their offsets; empty if they are not constant.
  private let signature: [Int: [UInt8]]

  init(
    _ name: String, _ reading: Reading, demuxers: [String] = [], signature: [Int: [UInt8]] = [:]
  ) {
    (self.name, self.reading, self.demuxers) = (name, reading, demuxers)
    self.signature = signature
  }

  /// The number of bytes to search for MPEG blocks in a file of an unknown kind.
  static let mostBytesBeforeMPEG = 1 << 16

  /// Identifies a kind of file.
  ///
  /// - Parameter bytes: returns up to `count` bytes at an offset; offset 0 is the first byte after
  ///   any ID3 tag.
  /// - Returns: nil for an unknown kind.
  init?(
    bytes: (_ offset: Int, _ count: Int) throws(SoundFileError) -> [UInt8]
  ) throws(SoundFileError) {
    let first = try bytes(0, 48)
    if let found = Self.known.first(where: { $0.matches(first) }) {
      self = found
    } else if Self.isMPEG(first) {
      self = .mpegAudio
    } else {
      let beginning = try bytes(0, Self.mostBytesBeforeMPEG)
      guard let kind = Self.transportStream(beginning) ?? Self.kind(after: beginning) else {
        return nil
      }
      self = kind
    }
  }

  static let mpegAudio = FileKind("MPEG audio", .mpeg, demuxers: ["mp3"])

  /// Returns the size of an ID3 tag before the audio, including its header and footer; 0 if there
  /// is no tag.
  ///
  /// The size in the tag is stored with 7 bits per byte.
  static func tagLength(_ head: [UInt8]) -> Int {
    guard head.count >= 10, head.starts(with: "ID3".utf8) else { return 0 }
    let footer = head[5] & 0x10 != 0 ? 10 : 0
    return 10 + head[6..<10].reduce(0) { $0 << 7 | Int($1 & 0x7F) } + footer
  }

  /// Whether the bytes begin an MPEG audio block: sync word, layer, bit rate, and sample rate.
  private static func isMPEG(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return false }
    return bytes[1] & 0x18 != 0x08 && bytes[1] & 0x06 != 0
      && bytes[2] & 0xF0 != 0xF0 && bytes[2] & 0x0C != 0x0C
  }

  /// Returns the kind of audio that begins after other bytes, such as zeros: three consecutive
  /// blocks of MP3 or AAC in one format, or the header of FLAC.
  private static func kind(after bytes: [UInt8]) -> FileKind? {
    let header = { (index: Int) -> MPEGFrameHeader? in
      guard index + 4 <= bytes.count, bytes[index] == 0xFF else { return nil }
      return MPEGFrameHeader(bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    let flac = Array("fLaC".utf8) + [0, 0, 0, 34]
    for index in bytes.indices {
      switch bytes[index] {
      case 0xFF:
        if let first = header(index), case let next = index + first.byteCount,
          let second = header(next), first.hasFormat(of: second),
          let third = header(next + second.byteCount), first.hasFormat(of: third)
        {
          return .mpegAudio
        }
        if let first = adtsBlock(bytes, at: index), case let next = index + first.size,
          let second = adtsBlock(bytes, at: next), first.format == second.format,
          let third = adtsBlock(bytes, at: next + second.size), first.format == third.format
        {
          return FileKind("AAC (ADTS)", .ffmpeg, demuxers: ["aac"])
        }
      case flac[0]:
        let head = bytes[index...].prefix(flac.count)
        // The highest bit marks the last metadata block, so either value matches.
        if head.count == flac.count, zip(head, flac).allSatisfy({ $0 == $1 || $0 == $1 | 0x80 }) {
          return FileKind("a FLAC file", .flac, demuxers: ["flac"])
        }
      default: break
      }
    }
    return nil
  }

  /// Returns the size of an AAC block with an ADTS header, and the part of the header that all
  /// blocks of a file share; nil if no such block begins at `index`.
  private static func adtsBlock(
    _ bytes: [UInt8], at index: Int
  ) -> (size: Int, format: [UInt8])? {
    // ADTS has 13 sample rates, so a higher index is invalid.
    guard index + 7 <= bytes.count, bytes[index] == 0xFF, bytes[index + 1] & 0xF6 == 0xF0,
      bytes[index + 2] >> 2 & 0xF < 13
    else { return nil }
    let format = [bytes[index + 1], bytes[index + 2], bytes[index + 3] & 0xC0]
    let size = Int(bytes[index + 3] & 3) << 11 | Int(bytes[index + 4]) << 3
    let length = size | Int(bytes[index + 5] >> 5)
    return length >= 7 ? (length, format) : nil
  }

  /// Whether a tag in the first block of MP3 has a length; true if there is no tag.
  ///
  /// A writer that cannot seek leaves the length 0.
  static func hasMPEGLength(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 4,
      let header = MPEGFrameHeader(bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) }),
      case let tag = bytes.dropFirst(header.contentOffset).prefix(12), tag.count == 12,
      tag.starts(with: "Xing".utf8) || tag.starts(with: "Info".utf8)
    else { return true }
    return tag.dropFirst(7).first.map { $0 & 1 != 0 } == true
      && tag.suffix(4).contains { $0 != 0 }
  }

  /// Returns the number of bytes before the first MP3 block that has the same format as the
  /// following blocks.
  ///
  /// A truncated broadcast may begin with a block of another program.
  static func bytesBeforeSteadyMPEG(_ bytes: [UInt8]) -> Int {
    let header = { (index: Int) -> MPEGFrameHeader? in
      guard index + 4 <= bytes.count else { return nil }
      return MPEGFrameHeader(bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    guard let first = header(0), case let start = first.byteCount, let second = header(start),
      let third = header(start + second.byteCount)
    else { return 0 }
    return second.hasFormat(of: third) && !first.hasFormat(of: second) ? start : 0
  }

  /// Returns the kind of an MPEG transport stream: packets of 188, 192, or 204 bytes with a sync
  /// byte; nil for other bytes.
  private static func transportStream(_ bytes: [UInt8]) -> FileKind? {
    let isStream = [(0, 188), (4, 192), (0, 204)].contains { start, size in
      let packets = (0..<4).map { start + $0 * size }
      return packets.allSatisfy { $0 < bytes.count && bytes[$0] == 0x47 }
    }
    return isStream ? FileKind("an MPEG transport stream", .ffmpeg, demuxers: ["mpegts"]) : nil
  }
}

extension FileKind {
  private init(
    _ text: String, at offset: Int = 0, _ name: String, _ reading: Reading, _ demuxers: String...
  ) {
    self.init(name, reading, demuxers: demuxers, signature: [offset: Array(text.utf8)])
  }

  private init(_ bytes: [UInt8], _ name: String, _ reading: Reading, _ demuxers: String...) {
    self.init(name, reading, demuxers: demuxers, signature: [0: bytes])
  }

  /// Creates the kind of a container, identified by `text` at its beginning and by `inner` at
  /// `offset`.
  private init(
    _ text: String, _ inner: String, at offset: Int = 8, _ name: String, _ reading: Reading,
    _ demuxers: String...
  ) {
    self.init(
      name, reading, demuxers: demuxers,
      signature: [0: Array(text.utf8), offset: Array(inner.utf8)])
  }

  private func matches(_ file: [UInt8]) -> Bool {
    signature.allSatisfy { offset, bytes in
      file.count >= offset + bytes.count && file[offset...].starts(with: bytes)
    }
  }

  /// Whether the first bytes of a file identify its kind, or are lines of ASCII text.
  ///
  /// Signatures of fewer than four bytes are ignored, because samples without a header may begin
  /// with them.
  static func isNamed(by bytes: [UInt8]) -> Bool {
    let isText = bytes.allSatisfy { (0x20..<0x7F).contains($0) || (0x09...0x0D).contains($0) }
    // Silence in A-law may consist of one printable character, but has no line breaks.
    return isText && bytes.contains(0x0A)
      || known.contains { kind in
        kind.signature.values.reduce(0) { $0 + $1.count } >= 4 && kind.matches(bytes)
      }
  }

  /// The kinds with constant first bytes; the first match wins.
  private static let known: [FileKind] = containers + ogg + foreign + silent

  private static let containers: [FileKind] = [
    FileKind("RIFF", "WAVE", "a WAV file", .streaming, "wav"),
    FileKind("RIFX", "WAVE", "a WAV file", .streaming, "wav"),
    FileKind("FORM", "AIFF", "an AIFF file", .streaming, "aiff"),
    FileKind("FORM", "AIFC", "an AIFF file", .streaming, "aiff"),
    FileKind("FORM", "8SVX", "an IFF file (8SVX)", .seeking, "iff"),
    FileKind("FORM", "16SV", "an IFF file (16SV)", .seeking, "iff"),
    FileKind(".snd", "an AU file", .streaming, "au"),
    FileKind("fLaC", "a FLAC file", .flac, "flac"),
    FileKind("caff", "a CAF file", .seeking, "caf"),
    FileKind("RF64", "WAVE", "an RF64 file", .seeking, "wav"),
    FileKind("BW64", "WAVE", "a BW64 file", .seeking, "wav"),
    FileKind("riff\u{2E}", "a Wave64 file", .seeking, "w64"),
    FileKind("Creative Voice File", "a VOC file", .seeking, "voc"),
    FileKind("NIST_1A", "a NIST SPHERE file", .seeking, "nistsphere"),
  ]

  /// The kinds of Ogg files, identified by their first packet, which begins at offset 28.
  private static let ogg: [FileKind] = [
    FileKind("OggS", "\u{1}vorbis", at: 28, "an Ogg Vorbis file", .streaming, "ogg"),
    FileKind("OggS", "OpusHead", at: 28, "an Opus file", .streaming, "ogg"),
    FileKind("OggS", "Speex   ", at: 28, "a Speex file", .ffmpeg, "ogg"),
    FileKind("OggS", "\u{7F}FLAC", at: 28, "FLAC in an Ogg file", .ffmpeg, "ogg"),
    FileKind("OggS", "an Ogg file without Vorbis or Opus", .ffmpeg, "ogg"),
  ]

  private static let foreign: [FileKind] =
    [
      FileKind("RIFF", "AVI ", "an AVI video", .ffmpeg, "avi"),
      FileKind("ftyp", at: 4, "an MPEG-4 file (M4A or MP4)", .ffmpeg, "mov"),
      FileKind([0x1A, 0x45, 0xDF, 0xA3], "a Matroska or WebM file", .ffmpeg, "matroska"),
      FileKind([0x30, 0x26, 0xB2, 0x75], "a Windows Media file (WMA)", .ffmpeg, "asf"),
      FileKind("wvpk", "a WavPack file", .ffmpeg, "wv"),
      FileKind("MAC ", "a Monkey's Audio file (APE)", .ffmpeg, "ape"),
      FileKind("TTA1", "a True Audio file", .ffmpeg, "tta"),
      FileKind("MPCK", "a Musepack file", .ffmpeg, "mpc8"),
      FileKind("MP+", "a Musepack file", .ffmpeg, "mpc"),
      FileKind("DSD ", "a DSD file (DSF)", .ffmpeg, "dsf"),
      FileKind("FRM8", "a DSD file (DFF)", .ffmpeg, "iff"),
      FileKind("#!AMR", "an AMR file", .ffmpeg, "amr"),
      FileKind("FLV\u{1}", "a Flash video", .ffmpeg, "flv"),
      FileKind([0x0B, 0x77], "Dolby Digital (AC-3)", .ffmpeg, "ac3", "eac3"),
      FileKind([0, 0, 1, 0xBA], "an MPEG program stream", .ffmpeg, "mpeg"),
      FileKind([0x7F, 0xFE, 0x80, 0x01], "DTS audio", .ffmpeg, "dts"),
      FileKind([0xFE, 0x7F, 0x01, 0x80], "DTS audio", .ffmpeg, "dts"),
      FileKind([0x1F, 0xFF, 0xE8, 0x00], "DTS audio", .ffmpeg, "dts"),
      FileKind([0xFF, 0x1F, 0x00, 0xE8], "DTS audio", .ffmpeg, "dts"),
      FileKind("DTSHDHDR", "a DTS-HD file", .ffmpeg, "dtshd"),
      FileKind("tBaK", "a TAK file", .ffmpeg, "tak"),
      FileKind("ajkg", "a Shorten file", .ffmpeg, "shn"),
      FileKind([0x56, 0xE0], "AAC (LATM)", .ffmpeg, "loas"),
      FileKind(".RMF", "a RealMedia file", .ffmpeg, "rm"),
      FileKind([0x06, 0x0E, 0x2B, 0x34], "an MXF file", .ffmpeg, "mxf"),
      // libsndfile also reads SDS, but prints warnings to standard output.
      FileKind([0xF0, 0x7E], "a MIDI sample dump (SDS)", .ffmpeg, "sds"),
    ] + [0xF0, 0xF1, 0xF8, 0xF9].map { FileKind([0xFF, $0], "AAC (ADTS)", .ffmpeg, "aac") }

  private static let silent: [FileKind] = [
    FileKind("MThd", "a MIDI file (notes only)", .nothing),
    FileKind("RIFF", "WEBP", "a WebP picture", .nothing),
    FileKind("RIFF", "a RIFF file without WAV in it", .nothing),
    FileKind("FORM", "an IFF file without sound in it", .nothing),
    FileKind([0x89, 0x50, 0x4E, 0x47], "a PNG picture", .nothing),
    FileKind([0xFF, 0xD8, 0xFF], "a JPEG picture", .nothing),
    FileKind("GIF8", "a GIF picture", .nothing),
    FileKind("%PDF", "a PDF document", .nothing),
    FileKind("PK\u{3}\u{4}", "a ZIP archive", .nothing),
    FileKind([0x1F, 0x8B], "a gzip-compressed file", .nothing),
    FileKind([0x7F, 0x45, 0x4C, 0x46], "a program (ELF)", .nothing),
  ]
}

extension FileKind {
  /// FFmpeg's demuxers for files of unknown kinds.
  ///
  /// The list omits demuxers that read text, pictures, or headerless samples, and those that open
  /// other files or addresses.
  private static let rareDemuxers = [
    "3dostr", "aa", "aac", "ac3", "act", "adx", "aea", "afc", "aix", "apc", "ast", "avr", "bfstm",
    "brstm", "caf", "codec2", "dss", "dts", "dtshd", "eac3", "epaf", "fsb", "fwse", "genh", "hca",
    "hcom", "iff", "ircam", "loas", "mca", "mlp", "mp3", "mpeg", "mpegts", "msf", "mtaf", "musx",
    "mxf", "nsp", "nut", "oma", "paf", "pvf", "qcp", "rm", "rsd", "rso", "sbc", "scd", "shn", "sol",
    "sox", "spdif", "swf", "tak", "truehd", "vag", "voc", "vpk", "vqf", "wsaud", "wsd", "wtv",
    "wve", "xvag", "xwma",
  ]

  /// The demuxers that FFmpeg may use for a network address: those of the known kinds, of MPEG
  /// audio, and of MPEG transport streams, and `rareDemuxers`.
  static let demuxersOfAddresses = Set(known.flatMap(\.demuxers)).union(
    mpegAudio.demuxers + ["mpegts"] + rareDemuxers
  ).sorted()

  /// Returns the kind of a file that only FFmpeg might identify; nil for text.
  static func unknown(_ part: FilePart) -> FileKind? {
    let bytes = part.bytes(at: 0, count: 4_096)
    let isText = bytes.allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) || $0 == 0x1B }
    return isText ? nil : FileKind("a file of an unknown kind", .ffmpeg, demuxers: rareDemuxers)
  }

  /// Whether only FFmpeg might identify the file.
  var isUnknown: Bool { demuxers == Self.rareDemuxers }
}

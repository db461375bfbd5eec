/// The parts of a WAV header, and the properties of the file that libsndfile ignores.
struct WAVLayout {
  /// The first four bytes: RIFF, RF64, or BW64.
  let mark: String
  /// The offset of the audio.
  private(set) var audioStart = 0
  /// The size of the audio in the header; nil if the header has the placeholder of a stream.
  private(set) var audioSize: Int?
  /// The number of bytes in a PCM frame, or in a block of an encoding that has blocks.
  private(set) var blockSize = 0
  /// Whether the samples are integers, float, or companded.
  private(set) var hasPlainSamples = false
  /// Whether the audio consists of MPEG blocks.
  private(set) var hasMPEG = false
  /// Whether the audio is GSM, which Microsoft stores in blocks of 65 bytes.
  private(set) var isGSM = false
  /// Whether the header declares samples of 24 bits in four bytes.
  private var hasPaddedSamples = false
  /// Whether the header is unfinished: the audio continues after the end that the header announces.
  var isUnfinished = false
  /// The number of padding bytes at the end of the file, which the header counts as audio.
  private(set) var padding = 0
  /// Whether each sample has 24 bits in four bytes; `chunks` then declares 32 bits.
  private(set) var isPadded = false
  /// Whether each 24-bit sample is in the low three of its four bytes.
  private(set) var isLow = false

  /// The chunks between the RIFF header and the audio, without RF64's `ds64` chunk.
  private var chunks: [UInt8] = []
  /// The offset of the bits per sample in `chunks`.
  private var bitsOffset = 0

  /// The maximum size of a header to copy, in bytes.
  private static let longestHeader = 1 << 20

  /// - Parameter bytes: returns up to `count` bytes at an offset.
  /// - Returns: nil if the file is not WAV, or has no audio.
  init?(
    bytes: (_ offset: Int, _ count: Int) throws(SoundFileError) -> [UInt8]
  ) throws(SoundFileError) {
    let start = try bytes(0, 12)
    mark = String(decoding: start.prefix(4), as: UTF8.self)
    guard start.count == 12, ["RIFF", "RF64", "BW64"].contains(mark),
      start[8...].elementsEqual("WAVE".utf8)
    else { return nil }
    var (offset, longSize): (Int, Int?) = (12, nil)
    for _ in 0..<64 {
      let head = try bytes(offset, 8)
      guard head.count == 8 else { return nil }
      let name = String(decoding: head.prefix(4), as: UTF8.self)
      let size = Self.number(head[4...])
      if name == "data" {
        audioStart = offset + 8
        let isLong = size == 0xFFFF_FFFF || (size == 0 && longSize != nil)
        // Streaming writers store a placeholder near the largest signed or unsigned number.
        let isUnknown = (0x7FFF_F000...0x7FFF_FFFF).contains(size) || size >= 0xFFFF_FF00
        audioSize = isLong || isUnknown ? longSize : size
        return
      }
      let content = try bytes(offset + 8, min(size + size % 2, Self.longestHeader))
      guard content.count == size + size % 2 else { return nil }
      switch name {
      case "ds64":
        let size = content.count >= 16 ? Self.number(content[8..<16]) : 0
        longSize = (1..<1 << 50).contains(size) ? size : nil
      case "fmt ":
        read(content)
        bitsOffset = chunks.count + 8 + 14
        chunks += head + content
      default: chunks += head + content
      }
      offset += 8 + content.count
      guard chunks.count <= Self.longestHeader else { return nil }
    }
    return nil
  }

  private mutating func read(_ format: [UInt8]) {
    guard format.count >= 16 else { return }
    let number = { (range: Range<Int>) in Self.number(format[range]) }
    let (channels, bits) = (number(2..<4), number(14..<16))
    blockSize = number(12..<14)
    let isExtensible = number(0..<2) == 0xFFFE && format.count >= 26
    let coding = isExtensible ? number(24..<26) : number(0..<2)
    hasMPEG = [0x50, 0x55].contains(coding)
    isGSM = coding == 0x31
    hasPlainSamples = [1, 3, 6, 7].contains(coding)
    hasPaddedSamples = coding == 1 && bits == 24 && channels > 0 && blockSize == 4 * channels
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Determines which three of four bytes hold a 24-bit sample, because libsndfile only guesses.
  ///
  /// - Parameters:
  ///   - bytes: returns up to `count` bytes at an offset.
  ///   - length: the length of the file; nil for a stream, whose end is not examined.
  mutating func examineSamples(
    _ bytes: (_ offset: Int, _ count: Int) throws(SoundFileError) -> [UInt8], length: Int? = nil
  ) throws(SoundFileError) {
    guard hasPaddedSamples, bitsOffset < chunks.count else { return }
    // Examines parts spread over the file, because a quiet part can fit both layouts.
    let step = max(4_096, ((length ?? 0) - audioStart) / 64 / 4 * 4)
    var isHigh = true
    isLow = true
    for offset in stride(from: audioStart, to: max(length ?? 0, audioStart + 1), by: step) {
      let audio = try bytes(offset, 4_096)
      for word in stride(from: 0, to: audio.count - 3, by: 4) {
        // ALSA keeps 24-bit samples in the low three bytes, and arecord writes all four bytes, with
        // or without the sign in the fourth.
        let sign: UInt8 = audio[word + 2] < 0x80 ? 0 : 0xFF
        if audio[word + 3] != 0, audio[word + 3] != sign { isLow = false }
        if audio[word] != 0 { isHigh = false }
      }
    }
    isPadded = isLow || isHigh
    if isPadded { chunks[bitsOffset] = 32 }
  }

  /// Whether the audio extends to the end of the stream because the size in the header is a
  /// placeholder.
  ///
  /// Any other size is trusted: a stream may stay open after its audio, so reading beyond the audio
  /// might never return.
  ///
  /// - Parameter bytes: returns up to `count` bytes at an offset.
  func hasUnknownSize(
    _ bytes: (_ offset: Int, _ count: Int) throws(SoundFileError) -> [UInt8]
  ) throws(SoundFileError) -> Bool {
    guard let audioSize else { return true }
    guard audioSize == 0 else { return false }
    let next = try bytes(audioStart, 4)
    return !Self.chunkNames.contains(String(decoding: next, as: UTF8.self))
  }

  /// Returns a header for `size` bytes of audio, at most 4 GiB.
  func header(size: Int) -> [UInt8] {
    let rest = Array("WAVE".utf8) + chunks
    return chunkHead("RIFF", min(rest.count + 8 + size, 0xFFFF_FFFF)) + rest
      + chunkHead("data", size)
  }

  /// Returns an RF64 header for `size` bytes of audio.
  func longHeader(size: Int) -> [UInt8] {
    let fileSize = 4 + 36 + chunks.count + 8 + size
    let sizes = [fileSize, size, size / max(1, blockSize)].flatMap { value in
      (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return chunkHead("RF64", 0xFFFF_FFFF) + Array("WAVE".utf8) + chunkHead("ds64", 28) + sizes
      + [0, 0, 0, 0] + chunks + chunkHead("data", 0xFFFF_FFFF)
  }
}

extension WAVLayout {
  /// The largest size in a WAV header, which also means an unknown size.
  private static let largestSize = 0xFFFF_FFFF

  /// Returns the file with a corrected header that libsndfile reads instead of the file's own; the
  /// file itself if its header needs no correction.
  ///
  /// libsndfile trusts an unfinished header, which announces no audio or only some of the audio.
  /// libsndfile does not support BW64, and a WAV header cannot store a size beyond 4 GiB. For 24
  /// bits in four bytes, libsndfile only guesses the layout, so the corrected header declares 32
  /// bits.
  mutating func repair(_ part: FilePart) -> FilePart {
    let found = part.length - audioStart
    guard found > 0, blockSize > 0 else { return part }
    var size = audioSize ?? found
    let isUnfinished = size < found && audioSize != nil && hasAudioAfterEnd(part)
    if isUnfinished { size = found - found % blockSize }
    // GSM has blocks of 65 bytes. libsndfile would read a padding byte after the last block as
    // another block. So the corrected header counts the padding byte, but the returned part ends
    // before that byte.
    let padding = isGSM && found % 65 == 1 ? 1 : 0
    if padding > 0 { size = found }
    let isTooLong = audioStart + size > Self.largestSize
    let isRight = mark == "RIFF" ? !isTooLong : audioSize != nil
    let isChanged = isUnfinished || padding > 0 || isPadded || mark == "BW64"
    // A file beyond 4 GiB needs an RF64 header, which is used only for plain samples.
    guard isChanged || !isRight, !isTooLong || hasPlainSamples else { return part }
    (self.isUnfinished, self.padding) = (isUnfinished, padding)
    let isLong = isTooLong || mark != "RIFF"
    return part.with(
      header: isLong ? longHeader(size: size) : header(size: size), replacing: audioStart,
      padding: padding)
  }

  /// Whether the bytes after the announced end are audio: at least one frame, and not chunks, a
  /// tag, or the padding of a disk block.
  private func hasAudioAfterEnd(_ part: FilePart) -> Bool {
    let (claimed, length) = (audioSize ?? 0, part.length)
    let end = audioStart + claimed
    guard length - end > blockSize else { return false }
    let rest = part.bytes(at: end, count: 16)
    let tags = ["TAG", "ID3", "APETAGEX", "LYRICSBEGIN", "3DI"]
    if tags.contains(where: { rest.starts(with: $0.utf8) }) { return false }
    // Zeros up to the end of the file may be the padding of a disk block.
    let mostPadding = 1 << 20
    if claimed > 0, length - end <= mostPadding,
      part.bytes(at: end, count: mostPadding).allSatisfy({ $0 == 0 })
    {
      return false
    }
    return !part.hasChunks(from: end + claimed % 2)
      && !(claimed % 2 == 1 && part.hasChunks(from: end))
  }

  /// The chunks that may follow the audio.
  fileprivate static let chunkNames: Set = [
    "LIST", "id3 ", "ID3 ", "cue ", "bext", "iXML", "_PMX", "JUNK", "junk", "FLLR", "PAD ", "fact",
    "smpl", "inst", "acid", "axml", "chna", "cart", "DISP", "INFO", "plst", "PEAK", "LGWV", "SAUR",
    "strc", "afsp", "umid", "levl", "link", "minf", "elm1", "regn", "ovwf", "sinf", "cset", "qlty",
  ]
}

extension FilePart {
  /// Whether a known chunk begins at an offset, or unknown chunks fill the rest of the file.
  fileprivate func hasChunks(from start: Int) -> Bool {
    var offset = start
    for _ in 0..<64 {
      let head = bytes(at: offset, count: 8)
      guard head.count == 8 else { break }
      if WAVLayout.chunkNames.contains(String(decoding: head.prefix(4), as: UTF8.self)) {
        return true
      }
      guard head.prefix(4).allSatisfy({ (0x20..<0x7F).contains($0) }) else { return false }
      let size = head[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
      guard size <= length - offset - 8 else { return false }
      offset += 8 + size + size % 2
    }
    return offset > start && offset >= length
  }
}

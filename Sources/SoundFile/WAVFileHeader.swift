import AudioCore

/// The first bytes of WAV: of a file whose length is known, which is RF64 where 32 bits cannot hold
/// it, or of a stream of unknown length.
///
/// Both kinds of file have the same length: RF64's sizes stand where a WAV file has a chunk of nothing.
/// The format is the plain one, also for 24 bits, because Python's `wave` reads no other before
/// 3.12. From three channels on it is WAVE_FORMAT_EXTENSIBLE, which names their positions: without
/// that, other programs take three channels for 2.1.
struct WAVFileHeader {
  /// The most that a size of a WAV file may tell.
  static let largestSize = 0xFFFF_FFFF

  let format: AudioFormat
  let samples: SoundFileEncoding.SampleFormat
  /// Where RF64 begins.
  var largestSize = Self.largestSize

  /// The bytes before the first sample.
  var byteCount: Int { bytes(dataSize: 0).count }

  /// The header before so many bytes of samples, whole frames.
  func bytes(dataSize: Int) -> [UInt8] {
    let rest = middle(frames: frames(dataSize))
    let padding = dataSize % 2
    // After the first 8 bytes: "WAVE", 36 bytes of sizes, the format, 8 of the data's own head.
    let fileSize = 4 + 36 + rest.count + 8 + dataSize + padding
    guard fileSize <= largestSize else {
      let sizes = little(fileSize, 8) + little(dataSize, 8) + little(frames(dataSize), 8)
      return chunkHead("RF64", Self.largestSize) + Array("WAVE".utf8)
        + chunkHead("ds64", 28) + sizes + little(0, 4) + rest
        + chunkHead("data", Self.largestSize)
    }
    return chunkHead("RIFF", fileSize) + Array("WAVE".utf8)
      + chunkHead("JUNK", 28) + [UInt8](repeating: 0, count: 28) + rest
      + chunkHead("data", dataSize)
  }

  /// The header of a stream: the sizes are the largest numbers there are.
  var streamBytes: [UInt8] {
    chunkHead("RIFF", Self.largestSize) + Array("WAVE".utf8) + formatChunk
      + chunkHead("data", Self.largestSize)
  }

  private func frames(_ dataSize: Int) -> Int {
    dataSize / (samples.byteCount * format.channelCount)
  }

  /// The format, and for float the number of frames, which the standard demands.
  private func middle(frames: Int) -> [UInt8] {
    guard samples == .float else { return formatChunk }
    return formatChunk + chunkHead("fact", 4) + little(min(frames, Self.largestSize), 4)
  }

  /// Rate, channels and coding.
  private var formatChunk: [UInt8] {
    let frameSize = format.channelCount * samples.byteCount
    let rate = format.sampleRate.hertz
    let (integer, float, extensible) = (1, 3, 0xFFFE)
    let coding = samples == .float ? float : integer
    let isExtensible = format.channelCount > 2
    let extra = isExtensible ? positions(coding) : []
    return chunkHead("fmt ", 16 + extra.count) + little(isExtensible ? extensible : coding, 2)
      + little(format.channelCount, 2) + little(rate, 4) + little(rate * frameSize, 4)
      + little(frameSize, 2) + little(samples.byteCount * 8, 2) + extra
  }

  /// What WAVE_FORMAT_EXTENSIBLE adds: the valid bits, the mask of positions, and the coding, as the
  /// beginning of an identifier whose rest never changes.
  private func positions(_ coding: Int) -> [UInt8] {
    let identifier: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    return little(22, 2) + little(samples.byteCount * 8, 2) + little(Int(format.layout.wavMask), 4)
      + little(coding, 2) + identifier
  }
}

/// The name of a chunk and the number of bytes that follow.
private func chunkHead(_ name: String, _ size: Int) -> [UInt8] {
  Array(name.utf8) + little(size, 4)
}

/// A number, the lowest byte first.
private func little(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

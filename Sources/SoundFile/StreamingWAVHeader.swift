import AudioCore

/// The bytes before samples of unknown number.
enum StreamingWAVHeader {
  static func bytes(_ format: AudioFormat, _ samples: SoundFileEncoding.SampleFormat) -> [UInt8] {
    let unknownSize = WAVFileHeader.largestSize
    return chunkHead("RIFF", unknownSize) + Array("WAVE".utf8)
      + WAVFormatChunk.bytes(format, samples) + chunkHead("data", unknownSize)
  }
}

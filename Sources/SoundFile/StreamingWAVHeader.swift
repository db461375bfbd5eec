import AudioCore

/// The 44 bytes before 16-bit samples of unknown number.
enum StreamingWAVHeader {
  static func bytes(_ format: AudioFormat) -> [UInt8] {
    let frameSize = format.channelCount * 2
    let rate = format.sampleRate.hertz
    return Array("RIFF".utf8) + unknownSize + Array("WAVEfmt ".utf8)
      + number(16, bytes: 4) + number(1, bytes: 2) + number(format.channelCount, bytes: 2)
      + number(rate, bytes: 4) + number(rate * frameSize, bytes: 4)
      + number(frameSize, bytes: 2) + number(16, bytes: 2)
      + Array("data".utf8) + unknownSize
  }

  private static let unknownSize: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]

  /// The lowest byte first.
  private static func number(_ value: Int, bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}

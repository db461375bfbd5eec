package import AudioCore

/// How the samples of an audio chunk lie in its payload: as in a WAV file, interleaved, signed and
/// little-endian, but for those of 8 bits, which are unsigned.
package struct WyomingAudioFormat: Hashable, Sendable {
  package var rate: Int
  /// Bytes of one sample.
  package var width: Int
  package var channels: Int

  /// What speech engines work with, and clients mostly send.
  package static let speech = WyomingAudioFormat(rate: 16_000, width: 2, channels: 1)

  private init(rate: Int, width: Int, channels: Int) {
    (self.rate, self.width, self.channels) = (rate, width, channels)
  }

  /// Reads what `audio-start` and `audio-chunk` say of their format.
  package init(_ data: [String: JSONValue]) throws(AudioFormatError) {
    rate = try Self.value("rate", from: data, in: 4_000...384_000)
    width = try Self.value("width", from: data, in: 1...4)
    channels = try Self.value("channels", from: data, in: 1...32)
  }

  package var data: [String: JSONValue] {
    ["rate": .integer(rate), "width": .integer(width), "channels": .integer(channels)]
  }

  package var format: AudioFormat {
    AudioFormat(sampleRate: SampleRate(hertz: rate), channelCount: channels)
  }

  var bytesPerFrame: Int { width * channels }

  private static func value(
    _ field: String, from data: [String: JSONValue], in range: ClosedRange<Int>
  ) throws(AudioFormatError) -> Int {
    guard let value = data[field]?.integer, range.contains(value) else {
      throw AudioFormatError(field: field, range: range)
    }
    return value
  }
}

/// A format of audio that nothing can be made of.
package struct AudioFormatError: Error, Hashable, CustomStringConvertible {
  let field: String
  let range: ClosedRange<Int>

  package var description: String {
    "\(field) of the audio is not a whole number from \(range.lowerBound) to \(range.upperBound)"
  }
}

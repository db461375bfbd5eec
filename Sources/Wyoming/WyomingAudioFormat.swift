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

/// Makes buffers of the payloads of one stream of audio chunks.
package struct AudioDecoder {
  package let format: WyomingAudioFormat
  private var position: FrameCount = 0
  /// The beginning of a frame that the last payload cut.
  private var rest: [UInt8] = []

  package init(format: WyomingAudioFormat) {
    self.format = format
  }

  /// The whole frames that are there now.
  package mutating func add(_ payload: [UInt8]) -> AudioBuffer {
    let bytes = rest + payload
    let whole = bytes.count - bytes.count % format.bytesPerFrame
    rest = Array(bytes[whole...])
    let samples = stride(from: 0, to: whole, by: format.width).map { begin in
      sample(of: bytes[begin..<begin + format.width])
    }
    let buffer = AudioBuffer(format: format.format, samples: samples, firstFrame: position)
    position = buffer.endFrame
    return buffer
  }

  /// The bytes as the high ones of 32 bits, so that the sign is in its place; that of a single
  /// byte, whose silence is 128, is the other way round.
  private func sample(of bytes: ArraySlice<UInt8>) -> Float {
    var word: UInt32 = 0
    for byte in bytes.reversed() { word = word << 8 | UInt32(byte) }
    let sign: UInt32 = format.width == 1 ? 0x80 : 0
    return Float(Int32(bitPattern: (word ^ sign) << (32 - 8 * format.width))) / 0x1p31
  }
}

/// The payload of samples at 16 bits; what is beyond full scale becomes full scale.
package func sixteenBitPayload(_ samples: [Float]) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(samples.count * 2)
  for sample in samples {
    let value = PCMSample.int16(sample)
    bytes.append(UInt8(truncatingIfNeeded: value))
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
  }
  return bytes
}

package import AudioCore

/// The layout of samples in an audio chunk's payload.
///
/// As in a WAV file, samples are interleaved, little-endian, and signed, except 8-bit samples,
/// which are unsigned.
package struct WyomingAudioFormat: Hashable, Sendable {
  package var rate: Int
  /// The number of bytes of a sample.
  package var width: Int
  package var channels: Int

  /// The format of speech engines and of most clients.
  package static let speech = WyomingAudioFormat(rate: 16_000, width: 2, channels: 1)

  package init(rate: Int, width: Int, channels: Int) {
    (self.rate, self.width, self.channels) = (rate, width, channels)
  }

  /// Reads the format from `audio-start` or `audio-chunk`.
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
      throw .outOfRange(field: field, range)
    }
    return value
  }
}

/// The error of an unusable audio format.
package enum AudioFormatError: Error, Hashable, CustomStringConvertible {
  /// A field is not a whole number in its range.
  case outOfRange(field: String, ClosedRange<Int>)
  /// The samples are floating-point numbers, which the protocol does not support.
  case floatingPoint

  package var description: String {
    switch self {
    case .outOfRange(let field, let range):
      "\(field) of the audio is not a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .floatingPoint:
      """
      the audio of width 4 has floating-point samples; convert them to signed integers, such as \
      those of width 2
      """
    }
  }
}

/// Decodes the payloads of one stream of audio chunks to buffers.
package struct AudioDecoder: Sendable {
  package let format: WyomingAudioFormat
  private var position: FrameCount = 0
  /// The incomplete frame at the end of the last payload.
  private var rest: [UInt8] = []
  /// The number of nonzero samples.
  ///
  /// `positives` and `negatives` count the samples whose bits, read as a floating-point number,
  /// have a plausible magnitude (1e-9 to 2).
  private var (sampleCount, positives, negatives) = (0, 0, 0)

  package init(format: WyomingAudioFormat) {
    self.format = format
  }

  /// Returns the complete frames; the next payload completes an incomplete last frame.
  ///
  /// - Throws: `.floatingPoint` as soon as 4-byte samples are evidently not integers.
  package mutating func add(_ payload: [UInt8]) throws(AudioFormatError) -> AudioBuffer {
    let bytes = rest + payload
    let whole = bytes.count - bytes.count % format.bytesPerFrame
    rest = Array(bytes[whole...])
    let words = stride(from: 0, to: whole, by: format.width).map { begin in
      word(of: bytes[begin..<begin + format.width])
    }
    if format.width == 4, areFloatingPoint(words) { throw .floatingPoint }
    let samples = words.map { Float(Int32(bitPattern: $0)) / 0x1p31 }
    let buffer = AudioBuffer(format: format.format, samples: samples, firstFrame: position)
    position = buffer.endFrame
    return buffer
  }

  /// Returns a sample's bytes as the high bytes of a 32-bit number.
  ///
  /// A single byte is unsigned with silence at 128, so its sign bit is inverted.
  private func word(of bytes: ArraySlice<UInt8>) -> UInt32 {
    var word: UInt32 = 0
    for byte in bytes.reversed() { word = word << 8 | UInt32(byte) }
    let sign: UInt32 = format.width == 1 ? 0x80 : 0
    return (word ^ sign) << (32 - 8 * format.width)
  }

  /// Adds samples that are declared as 32-bit integers, and returns whether all samples so far are
  /// probably floating-point numbers.
  ///
  /// Read as integers, the bits of numbers from 1e-9 to 2 are 0.38 to 0.5 or -0.63 to -0.5 of full
  /// scale. Audio with both signs cannot stay in these ranges, because it would have to jump
  /// between them.
  private mutating func areFloatingPoint(_ words: [UInt32]) -> Bool {
    for word in words where word << 1 != 0 {
      let number = Float(bitPattern: word)
      sampleCount += 1
      guard (1e-9..<2).contains(number.magnitude) else { continue }
      if number > 0 { positives += 1 } else { negatives += 1 }
    }
    // Fewer than 1,000 samples are too few for the test, so they count as integers.
    return sampleCount >= 1_000 && min(positives, negatives) > 0
      && (positives + negatives) * 20 >= sampleCount * 19
  }
}

/// Encodes samples as a 16-bit payload, limited to full scale.
package func sixteenBitPayload(_ samples: [Float]) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(samples.count * 2)
  for sample in samples {
    let value = sample.int16Sample
    bytes.append(UInt8(truncatingIfNeeded: value))
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
  }
  return bytes
}

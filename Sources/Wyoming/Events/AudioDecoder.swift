package import AudioCore

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

import AudioCore

/// Samples as WAV and raw sound have them: packed, the lowest byte first, 16 bit with dither.
struct LittleEndianSamples {
  private let format: SoundFileEncoding.SampleFormat
  private var dither = Dither()

  init(_ format: SoundFileEncoding.SampleFormat) {
    self.format = format
  }

  /// Puts every sample into `bytes`, which has room for them and begins where any number may.
  mutating func encode(
    _ samples: UnsafeBufferPointer<Float>, into bytes: UnsafeMutableRawBufferPointer
  ) {
    switch format {
    case .int16: storeDithered(samples, in: bytes)
    case .int24: Self.storePacked(samples, in: bytes)
    case .int32: Self.store(samples, in: bytes) { PCMSample.int32($0).littleEndian }
    case .float: Self.store(samples, in: bytes) { $0.bitPattern.littleEndian }
    }
  }

  private mutating func storeDithered(
    _ samples: UnsafeBufferPointer<Float>, in bytes: UnsafeMutableRawBufferPointer
  ) {
    bytes.withMemoryRebound(to: Int16.self) { numbers in
      guard let target = numbers.baseAddress else { return }
      dither.quantize(samples, into: target)
      for index in 0..<samples.count { target[index] = target[index].littleEndian }
    }
  }

  @inline(__always)
  private static func store<Number: BitwiseCopyable>(
    _ samples: UnsafeBufferPointer<Float>, in bytes: UnsafeMutableRawBufferPointer,
    _ number: (Float) -> Number
  ) {
    var offset = 0
    for sample in samples {
      bytes.storeBytes(of: number(sample), toByteOffset: offset, as: Number.self)
      offset += MemoryLayout<Number>.size
    }
  }

  private static func storePacked(
    _ samples: UnsafeBufferPointer<Float>, in bytes: UnsafeMutableRawBufferPointer
  ) {
    var offset = 0
    for sample in samples {
      let whole = PCMSample.int24(sample)
      bytes[offset] = UInt8(truncatingIfNeeded: whole)
      bytes[offset + 1] = UInt8(truncatingIfNeeded: whole >> 8)
      bytes[offset + 2] = UInt8(truncatingIfNeeded: whole >> 16)
      offset += 3
    }
  }
}

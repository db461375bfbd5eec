/// Samples as WAV and raw sound have them: packed, the lowest byte first.
enum LittleEndianSamples {
  /// Puts every sample into `bytes`, which has room for them.
  static func encode(
    _ samples: some RandomAccessCollection<Float>, as format: SoundFileEncoding.SampleFormat,
    into bytes: UnsafeMutableRawBufferPointer
  ) {
    switch format {
    case .int16: store(samples, in: bytes) { SampleConversion.int16($0).littleEndian }
    case .int24: storePacked(samples, in: bytes)
    case .int32: store(samples, in: bytes) { SampleConversion.int32($0).littleEndian }
    case .float: store(samples, in: bytes) { $0.bitPattern.littleEndian }
    }
  }

  @inline(__always)
  private static func store<Number: BitwiseCopyable>(
    _ samples: some RandomAccessCollection<Float>, in bytes: UnsafeMutableRawBufferPointer,
    _ number: (Float) -> Number
  ) {
    var offset = 0
    for sample in samples {
      bytes.storeBytes(of: number(sample), toByteOffset: offset, as: Number.self)
      offset += MemoryLayout<Number>.size
    }
  }

  private static func storePacked(
    _ samples: some RandomAccessCollection<Float>, in bytes: UnsafeMutableRawBufferPointer
  ) {
    var offset = 0
    for sample in samples {
      let whole = SampleConversion.int24(sample)
      bytes[offset] = UInt8(truncatingIfNeeded: whole)
      bytes[offset + 1] = UInt8(truncatingIfNeeded: whole >> 8)
      bytes[offset + 2] = UInt8(truncatingIfNeeded: whole >> 16)
      offset += 3
    }
  }
}

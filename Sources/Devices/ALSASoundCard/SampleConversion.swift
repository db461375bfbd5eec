import AudioCore

/// Converts between Float32 and the device's sample format.
///
/// Full scale is a power of two, so samples of a 16-bit file reach a 16-bit card unchanged. Values
/// beyond full scale are clipped, and NaN becomes silence.
extension PCMSampleFormat {
  /// Writes `samples` in this format to `target`, which must have room for them; 16-bit samples are
  /// dithered.
  func encode(
    _ samples: UnsafeBufferPointer<Float>, to target: UnsafeMutableRawPointer,
    dither: inout Dither
  ) {
    switch self {
    case .float32:
      Self.encode(samples, to: target) { $0 }
    case .int32:
      Self.encode(samples, to: target) { $0.int32Sample }
    case .int24:
      Self.encode(samples, to: target) { $0.int24Sample }
    case .int24Packed:
      Self.encode(samples, to: target) { PackedInt24($0.int24Sample) }
    case .int16:
      // Safe because the caller's memory holds `samples.count` samples of the device's format.
      dither.quantize(samples, into: target.assumingMemoryBound(to: Int16.self))
    }
  }

  /// Decodes `source`, which has this format, into `samples`.
  func decode(_ source: UnsafeRawPointer, to samples: UnsafeMutableBufferPointer<Float>) {
    switch self {
    case .float32:
      Self.decode(source, to: samples) { (stored: Float) in stored }
    case .int32:
      Self.decode(source, to: samples) { (stored: Int32) in Float(stored) * 0x1p-31 }
    case .int24:
      // The fourth byte is undefined: sign, zero, or noise.
      Self.decode(source, to: samples) { (stored: Int32) in Float((stored << 8) >> 8) * 0x1p-23 }
    case .int24Packed:
      Self.decode(source, to: samples) { (stored: PackedInt24) in Float(stored.value) * 0x1p-23 }
    case .int16:
      Self.decode(source, to: samples) { (stored: Int16) in Float(stored) * 0x1p-15 }
    }
  }

  @inline(__always)
  private static func encode<Stored: BitwiseCopyable>(
    _ samples: UnsafeBufferPointer<Float>, to target: UnsafeMutableRawPointer,
    _ convert: (Float) -> Stored
  ) {
    // Safe because the caller's memory holds `samples.count` samples of the device's format.
    let stored = target.assumingMemoryBound(to: Stored.self)
    for index in samples.indices { stored[index] = convert(samples[index]) }
  }

  @inline(__always)
  private static func decode<Stored: BitwiseCopyable>(
    _ source: UnsafeRawPointer, to samples: UnsafeMutableBufferPointer<Float>,
    _ convert: (Stored) -> Float
  ) {
    // Safe because the caller's memory holds `samples.count` samples of the device's format.
    let stored = source.assumingMemoryBound(to: Stored.self)
    for index in samples.indices { samples[index] = convert(stored[index]) }
  }
}

/// A 24-bit integer in three native-endian bytes.
///
/// Its stride is three bytes, so an array of them matches the device's format.
struct PackedInt24: BitwiseCopyable, Equatable {
  // The three bytes, in memory order.
  private let first: UInt8
  private let second: UInt8
  private let third: UInt8

  /// Keeps the low three bytes of `value`.
  @inline(__always)
  init(_ value: Int32) {
    let low = UInt8(truncatingIfNeeded: value)
    let high = UInt8(truncatingIfNeeded: value >> 16)
    second = UInt8(truncatingIfNeeded: value >> 8)
    #if _endian(little)
    (first, third) = (low, high)
    #else
    (first, third) = (high, low)
    #endif
  }

  /// The number as a 32-bit integer.
  @inline(__always)
  var value: Int32 {
    #if _endian(little)
    let (low, high) = (first, third)
    #else
    let (low, high) = (third, first)
    #endif
    return Int32(Int8(bitPattern: high)) << 16 | Int32(second) << 8 | Int32(low)
  }
}

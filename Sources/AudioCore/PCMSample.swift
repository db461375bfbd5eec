/// Float32 samples as whole numbers: rounded to the nearest, limited to full scale, without dither.
///
/// Full scale is 2 to the power of bits − 1, so that whole numbers come back as they were. What is
/// not a number becomes silence.
package enum PCMSample {
  /// A sample in 16 bits.
  @inlinable @inline(__always)
  package static func int16(_ sample: Float) -> Int16 {
    Int16(truncatingIfNeeded: whole(sample, scale: 0x1p15))
  }

  /// A sample in 24 bits, at the lower end of 32.
  @inlinable @inline(__always)
  package static func int24(_ sample: Float) -> Int32 { whole(sample, scale: 0x1p23) }

  /// A sample in 32 bits.
  @inlinable @inline(__always)
  package static func int32(_ sample: Float) -> Int32 { whole(sample, scale: 0x1p31) }

  /// The nearest integer to `sample` × `scale`, from −scale to below scale.
  @inlinable @inline(__always)
  package static func whole(_ sample: Float, scale: Float) -> Int32 {
    let scaled = (sample * scale).rounded(.toNearestOrEven)
    if scaled >= scale { return Int32(bitPattern: UInt32(scale) &- 1) }
    if scaled >= -scale { return Int32(scaled) }
    return scaled.isNaN ? 0 : Int32(-scale)
  }
}

extension [Float] {
  /// The samples in 16 bits, without dither: for recognizers, not for ears.
  package var inSixteenBits: [Int16] { map { PCMSample.int16($0) } }
}

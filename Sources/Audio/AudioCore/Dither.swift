/// Rounds samples to 16 bits with triangular dither of ±1 step (TPDF).
///
/// Dither turns the distortion of rounding into slight noise.
///
/// A sample that is exactly a 16-bit value is unchanged: silence remains silence, and 16-bit audio
/// passes bit for bit. The noise is the same in every run.
package struct Dither: Sendable {
  private var position: UInt32

  /// Creates dither with noise from this seed.
  package init(seed: UInt32 = 0) {
    position = seed
  }

  /// Quantizes samples to `target`, which has at least as many elements.
  ///
  /// Full scale is 32768. Samples beyond it are clipped, and NaN becomes 0. The call neither
  /// allocates nor waits.
  package mutating func quantize(
    _ samples: UnsafeBufferPointer<Float>, into target: UnsafeMutablePointer<Int16>
  ) {
    let start = position
    var index = 0
    while index < samples.count {
      let stretch = index..<min(index + 256, samples.count)
      // Samples that are exactly 16-bit values need no dither.
      if !Self.copy(samples, into: target, stretch) {
        for index in stretch {
          let noise = Self.noise(at: start &+ UInt32(truncatingIfNeeded: index))
          target[index] = Self.quantized(samples[index], noise)
        }
      }
      index = stretch.upperBound
    }
    position = start &+ UInt32(truncatingIfNeeded: samples.count)
  }

  /// Writes the samples if all are exactly 16-bit values; otherwise returns false and leaves
  /// invalid output.
  private static func copy(
    _ samples: UnsafeBufferPointer<Float>, into target: UnsafeMutablePointer<Int16>,
    _ stretch: Range<Int>
  ) -> Bool {
    var stray: UInt32 = 0
    for index in stretch {
      let scaled = samples[index] * 0x1p15
      let shifted = scaled + 0x1.8p23
      // Truncation changes integers beyond full scale, and NaN equals no number, so neither counts
      // as a 16-bit value.
      let back = Float(Int16(truncatingIfNeeded: shifted.bitPattern))
      stray |= back == scaled ? 0 : 1
      target[index] = Int16(truncatingIfNeeded: shifted.bitPattern)
    }
    return stray == 0
  }

  /// Returns the sum of two uniform distributions, each of ±half a step.
  @inline(__always)
  private static func noise(at position: UInt32) -> Float {
    // This is the finalizer of MurmurHash3, applied to a counter. Each value is independent of the
    // previous value, so the loop vectorizes, and adjacent frames and channels have uncorrelated
    // noise.
    var bits = position &* 0x9e37_79b9
    bits = (bits ^ (bits >> 16)) &* 0x85eb_ca6b
    bits = (bits ^ (bits >> 13)) &* 0xc2b2_ae35
    bits ^= bits >> 16
    let sum = Int32(truncatingIfNeeded: (bits & 0xffff) &+ (bits >> 16))
    return Float(sum &- 0xffff) * 0x1p-16
  }

  @inline(__always)
  private static func quantized(_ sample: Float, _ noise: Float) -> Int16 {
    let scaled = sample == sample ? sample * 0x1p15 : 0
    let limited = clipped(scaled)
    // Adding 1.5 × 2^23 leaves the nearest integer in the low bits, without a branch.
    let isOnStep = (limited + 0x1.8p23) - 0x1.8p23 == limited
    let dithered = clipped(limited + (isOnStep ? 0 : noise))
    return Int16(truncatingIfNeeded: (dithered + 0x1.8p23).bitPattern)
  }

  @inline(__always)
  private static func clipped(_ scaled: Float) -> Float {
    scaled < 32767 ? (scaled > -32768 ? scaled : -32768) : 32767
  }
}

/// Conversions of a sample to integers: rounded to the nearest and limited, without dither.
///
/// Full scale is 2^(bits − 1), so integers are restored exactly. NaN becomes silence.
extension Float {
  /// The sample as a 16-bit integer.
  @inlinable @inline(__always)
  package var int16Sample: Int16 { Int16(truncatingIfNeeded: whole(scale: 0x1p15)) }

  /// The sample as a 24-bit integer, stored in 32 bits.
  @inlinable @inline(__always)
  package var int24Sample: Int32 { whole(scale: 0x1p23) }

  /// The sample as a 32-bit integer.
  @inlinable @inline(__always)
  package var int32Sample: Int32 { whole(scale: 0x1p31) }

  /// Returns the integer nearest to the sample × `scale`, limited to −scale..<scale.
  @inlinable @inline(__always)
  package func whole(scale: Float) -> Int32 {
    let scaled = (self * scale).rounded(.toNearestOrEven)
    if scaled >= scale { return Int32(bitPattern: UInt32(scale) &- 1) }
    if scaled >= -scale { return Int32(scaled) }
    return scaled.isNaN ? 0 : Int32(-scale)
  }
}

extension [Float] {
  /// The samples as 16-bit integers without dither, for recognizers.
  package var inSixteenBits: [Int16] { map(\.int16Sample) }
}

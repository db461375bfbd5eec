/// Rounds samples to 16 bits with triangular noise of ±1 step (TPDF), so that what lies between two
/// steps stays itself, with a little hiss instead of distortion.
///
/// A sample that lies on a step already stays as it is: silence remains silence, and a 16-bit file
/// leaves bit by bit as it came. The noise is the same in every run.
package struct Dither: Sendable {
  private var position: UInt32

  /// Noise that begins at `seed`.
  package init(seed: UInt32 = 0) {
    position = seed
  }

  /// Writes a number for each sample to `target`, which holds at least as many; 1 is 32768, what is
  /// beyond full scale is clipped, and what is not a number is 0.
  ///
  /// It neither allocates nor waits.
  package mutating func quantize(
    _ samples: UnsafeBufferPointer<Float>, into target: UnsafeMutablePointer<Int16>
  ) {
    let start = position
    var index = 0
    while index < samples.count {
      let stretch = index..<min(index + 256, samples.count)
      // What came from 16 bit needs no noise.
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

  /// Writes samples that all lie on a step; false where one does not, and what is written then
  /// means nothing.
  private static func copy(
    _ samples: UnsafeBufferPointer<Float>, into target: UnsafeMutablePointer<Int16>,
    _ stretch: Range<Int>
  ) -> Bool {
    var stray: UInt32 = 0
    for index in stretch {
      let scaled = samples[index] * 0x1p15
      let shifted = scaled + 0x1.8p23
      // Beyond full scale the integer has more than 16 bits; what is not a number is not itself.
      let back = Float(Int16(truncatingIfNeeded: shifted.bitPattern))
      stray |= back == scaled ? 0 : 1
      target[index] = Int16(truncatingIfNeeded: shifted.bitPattern)
    }
    return stray == 0
  }

  /// The sum of two even distributions over half a step to either side.
  @inline(__always)
  private static func noise(at position: UInt32) -> Float {
    // The finaliser of MurmurHash3 over a counter: no step needs the one before, so that it runs in
    // vectors, and neighbours in time and among the channels have nothing to do with each other.
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
    // Adding 1.5 × 2^23 leaves the nearest integer in the low bits: no branch here either.
    let isOnStep = (limited + 0x1.8p23) - 0x1.8p23 == limited
    let dithered = clipped(limited + (isOnStep ? 0 : noise))
    return Int16(truncatingIfNeeded: (dithered + 0x1.8p23).bitPattern)
  }

  @inline(__always)
  private static func clipped(_ scaled: Float) -> Float {
    scaled < 32767 ? (scaled > -32768 ? scaled : -32768) : 32767
  }
}

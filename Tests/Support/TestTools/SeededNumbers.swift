/// Random numbers that are the same in every run (SplitMix64).
///
/// A test takes its seed as an argument, so that Swift Testing prints the seed with a failure:
/// `@Test(arguments: [7 as UInt64])`.
package struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a normally distributed number with mean 0 and standard deviation 1.
  package mutating func normal() -> Double {
    (0..<12).reduce(into: -6.0) { sum, _ in sum += Double.random(in: 0..<1, using: &self) }
  }
}

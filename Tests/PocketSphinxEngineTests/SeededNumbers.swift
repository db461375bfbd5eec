/// Numbers that are the same in every run.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    let mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    return mixed ^ (mixed >> 31)
  }

  /// A number around 0 with a deviation of 1.
  mutating func normal() -> Double {
    (0..<12).reduce(into: -6.0) { sum, _ in sum += Double.random(in: 0..<1, using: &self) }
  }
}

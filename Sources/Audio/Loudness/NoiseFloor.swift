import AudioCore

/// Counts blocks by their level and returns the level that a tenth of them stays below.
///
/// Blocks of silence count only once sound follows: the silent ends are no noise.
struct NoiseFloor: Sendable {
  private static let lowest = -150.0
  private static let binsPerDecibel = 10

  private let blockFrameCount: Int
  private var counts: [Int]
  /// The silent blocks since the last one with sound.
  private var pending: [Int]
  private var hasPending = false
  private var hasBegun = false
  private var block = (squares: 0.0, frameCount: 0, isLoud: false)

  init(blockFrameCount: Int) {
    self.blockFrameCount = blockFrameCount
    counts = Array(repeating: 0, count: 1 + Int(-Self.lowest) * Self.binsPerDecibel)
    pending = counts
  }

  /// The frames that are missing to a whole block.
  var framesToBlock: Int { blockFrameCount - block.frameCount }

  /// Takes the squares of some frames, at most `framesToBlock`, as their mean over the channels.
  mutating func add(_ squares: Double, frameCount: Int, isLoud: Bool) {
    block.squares += squares
    block.frameCount += frameCount
    block.isLoud = block.isLoud || isLoud
    guard block.frameCount == blockFrameCount else { return }
    let mean = block.squares / Double(block.frameCount)
    note(bin(Decibels(amplitude: mean.squareRoot())), isLoud: block.isLoud)
    block = (0, 0, false)
  }

  /// The level, to a tenth of a decibel; silence if there is no block with sound.
  var level: Decibels {
    let goal = (counts.reduce(0, +) + 9) / 10
    guard goal > 0 else { return .silence }
    var sum = 0
    let bin = counts.firstIndex { count in
      sum += count
      return sum >= goal
    }
    guard let bin, bin > 0 else { return .silence }
    return Decibels(Double(bin) / Double(Self.binsPerDecibel) + Self.lowest)
  }

  private mutating func note(_ bin: Int, isLoud: Bool) {
    if isLoud {
      if hasPending {
        for index in counts.indices {
          (counts[index], pending[index]) = (counts[index] + pending[index], 0)
        }
        hasPending = false
      }
      counts[bin] += 1
      hasBegun = true
    } else if hasBegun {
      pending[bin] += 1
      hasPending = true
    }
  }

  /// The nearest bin; the first one is for silence and what is close to it.
  private func bin(_ level: Decibels) -> Int {
    guard level.value > Self.lowest else { return 0 }
    let bin = Int(clamping: (level.value - Self.lowest) * Double(Self.binsPerDecibel))
    return min(bin, counts.count - 1)
  }
}

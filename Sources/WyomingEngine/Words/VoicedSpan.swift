import AudioCore
import Glibc

/// Finds where in an utterance the voice is, by the levels of its steps of 10 ms.
struct VoicedSpan {
  /// How far below the loudest step a step may be and still be voice, as a ratio of
  /// energies: 25 dB.
  static let ratio: Float = 316
  static let step = 160

  private var energies: [Float] = []
  private var rest: [Float] = []
  private(set) var frameCount: FrameCount = 0

  mutating func hear(_ samples: [Float]) {
    frameCount = frameCount + FrameCount(samples.count)
    rest += samples
    let whole = rest.count - rest.count % Self.step
    for begin in stride(from: 0, to: whole, by: Self.step) {
      energies.append(rest[begin..<begin + Self.step].reduce(0) { $0 + $1 * $1 })
    }
    rest.removeFirst(whole)
  }

  /// From the first step that is loud to the last; all that was heard where nothing is.
  var frames: Range<FrameCount> {
    let threshold = (energies.max() ?? 0) / Self.ratio
    guard threshold > 0, let first = energies.firstIndex(where: { $0 > threshold }),
      let last = energies.lastIndex(where: { $0 > threshold })
    else { return 0..<frameCount }
    return FrameCount(first * Self.step)..<FrameCount((last + 1) * Self.step)
  }
}

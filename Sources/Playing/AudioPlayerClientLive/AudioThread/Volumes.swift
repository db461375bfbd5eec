import AudioCore
import Synchronization

/// Returns a gain clamped to 0…1, or to another maximum; NaN becomes silence.
func clampedGain(_ gain: Float, atMost maximum: Float = 1) -> Float {
  gain.isNaN ? 0 : min(max(gain, 0), maximum)
}

/// The gain of a bus, or of all buses, and the time to reach it; audio threads read both without
/// waiting.
final class BusVolume: Sendable {
  // The gain's bits and the milliseconds share a word, so that they are read as the pair that was
  // set.
  private let word = Atomic(UInt64(Float(1).bitPattern))

  /// The gain and the ramp that were set last.
  ///
  /// A gain outside 0…1 and a ramp outside zero to 49 days are clamped.
  var setting: (gain: Float, ramp: Duration) {
    get {
      let word = word.load(ordering: .relaxed)
      let gain = Float(bitPattern: UInt32(truncatingIfNeeded: word))
      return (gain, .milliseconds(Int64(word >> 32)))
    }
    set {
      let time = UInt32(clamping: newValue.ramp.wholeMilliseconds)
      let bits = UInt64(time) << 32 | UInt64(clampedGain(newValue.gain).bitPattern)
      word.store(bits, ordering: .relaxed)
    }
  }
}

/// A gain that moves to its target in equal steps, one per frame, so that volume changes do not
/// click.
struct SmoothedGain: Equatable {
  private(set) var current: Float
  private(set) var target: Float
  private var step: Float = 0
  /// The length of the last ramp in frames; `framesLeft` is how many of them are left.
  private var length = 0
  private(set) var framesLeft = 0

  init(_ gain: Float) {
    current = gain
    target = gain
  }

  /// Whether the gain has reached the target.
  var isSteady: Bool { framesLeft == 0 }

  /// Begins a ramp that reaches `gain` in `frames`; does nothing if `gain` is reached already, or
  /// if the last call had the same arguments.
  mutating func move(to gain: Float, in frames: Int) {
    guard gain != target || (!isSteady && frames != length) else { return }
    (target, length) = (gain, frames)
    framesLeft = max(1, frames)
    step = (gain - current) / Float(framesLeft)
  }

  /// Begins to move to the last setting of a volume, unless the gain is already moving there.
  mutating func follow(_ volume: BusVolume, at rate: SampleRate) {
    let (gain, ramp) = volume.setting
    move(to: gain, in: FrameCount(ramp, at: rate).rawValue)
  }

  /// Shortens the remaining ramp to `frames` if it is longer.
  mutating func arrive(within frames: Int) {
    guard frames < framesLeft else { return }
    framesLeft = max(1, frames)
    step = (target - current) / Float(framesLeft)
  }

  /// Returns the gain of the next frame.
  mutating func next() -> Float {
    guard framesLeft > 0 else { return current }
    framesLeft -= 1
    current = framesLeft == 0 ? target : current + step
    return current
  }

  /// Advances by `frames`.
  mutating func skip(_ frames: Int) {
    for _ in 0..<min(frames, framesLeft) { _ = next() }
  }
}

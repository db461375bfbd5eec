/// A gain that moves to its target in even steps, a step per frame, so that no change of volume
/// clicks.
struct GainRamp: Equatable {
  private(set) var current: Float
  private(set) var target: Float
  private var step: Float = 0
  /// The frames until the target is reached.
  private(set) var framesLeft = 0

  init(_ gain: Float) {
    current = gain
    target = gain
  }

  /// Whether the target is reached.
  var isSteady: Bool { framesLeft == 0 }

  /// Sets out for a gain, to be reached in `frames` from now on; where it is already, it stays.
  mutating func move(to gain: Float, in frames: Int) {
    guard gain != target || !isSteady else { return }
    target = gain
    framesLeft = max(1, frames)
    step = (gain - current) / Float(framesLeft)
  }

  /// Reaches its target in `frames`, where that is sooner than it would be.
  mutating func arrive(within frames: Int) {
    guard frames < framesLeft else { return }
    framesLeft = max(1, frames)
    step = (target - current) / Float(framesLeft)
  }

  /// The gain of the next frame.
  mutating func next() -> Float {
    guard framesLeft > 0 else { return current }
    framesLeft -= 1
    current = framesLeft == 0 ? target : current + step
    return current
  }

  /// Goes on by so many frames.
  mutating func skip(_ frames: Int) {
    for _ in 0..<min(frames, framesLeft) { _ = next() }
  }
}

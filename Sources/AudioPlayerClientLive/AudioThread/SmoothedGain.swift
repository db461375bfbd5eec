/// A gain that moves to its target in even steps, one per frame, so that no change of volume clicks.
struct SmoothedGain: Equatable {
  private(set) var current: Float
  private(set) var target: Float
  private var step: Float = 0
  /// The frames until it reaches the target.
  private(set) var framesLeft = 0

  init(_ gain: Float) {
    current = gain
    target = gain
  }

  /// Whether it has reached the target.
  var isSteady: Bool { framesLeft == 0 }

  /// Begins to move to a gain, to be reached in `frames`; nothing changes if it is there already.
  mutating func move(to gain: Float, in frames: Int) {
    guard gain != target || !isSteady else { return }
    target = gain
    framesLeft = max(1, frames)
    step = (gain - current) / Float(framesLeft)
  }

  /// Shortens the rest of the way to `frames` if it is longer.
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

/// A gain that goes from one value to another over a stretch of the time-line.
public struct GainRamp: Hashable, Sendable {
  /// The gain up to `firstFrame`; 1 leaves samples as they are.
  public var start: Float
  /// The gain from the end of the ramp on.
  public var end: Float
  /// The index of the frame at which the ramp begins.
  public var firstFrame: FrameCount
  /// The length of the ramp; 0 is a step.
  public var length: FrameCount
  /// How it goes from one to the other; downwards it is the mirror image.
  public var curve: FadeCurve

  /// A ramp; `length` must not be negative.
  public init(
    from start: Float, to end: Float, at firstFrame: FrameCount, length: FrameCount,
    curve: FadeCurve = .linear
  ) {
    precondition(length >= 0, "a ramp is not \(length) long")
    (self.start, self.end) = (start, end)
    (self.firstFrame, self.length, self.curve) = (firstFrame, length, curve)
  }

  /// A gain that stays the same.
  public init(constant gain: Float) {
    self.init(from: gain, to: gain, at: 0, length: 0)
  }

  /// The gain of the frame with this index.
  public func gain(at frame: FrameCount) -> Float {
    guard frame < firstFrame + length else { return end }
    guard frame > firstFrame else { return start }
    let progress = Double((frame - firstFrame).rawValue) / Double(length.rawValue)
    guard start <= end else {
      return end + (start - end) * curve.gain(at: 1 - progress)
    }
    return start + (end - start) * curve.gain(at: progress)
  }
}

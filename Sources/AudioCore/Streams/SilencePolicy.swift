/// What counts as silence, and how much of it stays around the sound.
public struct SilencePolicy: Hashable, Sendable {
  /// A frame is silent where every channel of it is below this level.
  public var threshold: Decibels

  /// How long silence lasts before it ends the sound; a shorter pause belongs to it.
  public var hold: Duration

  /// How much silence stays before the sound and after it.
  public var margin: Duration

  /// A policy; `hold` and `margin` must not be negative.
  public init(
    threshold: Decibels = Decibels(dBFS: -50), hold: Duration = .milliseconds(500),
    margin: Duration = .milliseconds(100)
  ) {
    precondition(hold >= .zero && margin >= .zero, "lengths of silence are not negative")
    (self.threshold, self.hold, self.margin) = (threshold, hold, margin)
  }
}

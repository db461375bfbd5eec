public import AudioCore

/// A level and how long it has to last.
public struct LevelRule: Hashable, Sendable {
  /// A frame is loud where a channel of it reaches this level, else quiet.
  public var threshold: Decibels

  /// How long it has to be loud, or quiet.
  public var hold: Duration

  /// A rule.
  public init(threshold: Decibels, hold: Duration) {
    self.threshold = threshold
    self.hold = hold
  }

  /// −70 dBFS for 3 s: no microphone that is switched on is as quiet as that.
  public static let silentMicrophone = LevelRule(
    threshold: Decibels(dBFS: -70), hold: .seconds(3))
}

public import AudioCore

/// How loud a stretch of a recording was.
public struct RecordingLevels: Hashable, Sendable {
  /// The length recorded so far.
  public var recorded: Duration

  /// Peak and RMS over all channels.
  public var level: AudioLevel

  /// Each channel of the file; none in a preview.
  public var channels: [ChannelLevel]

  /// Describes a stretch.
  public init(recorded: Duration, level: AudioLevel, channels: [ChannelLevel] = []) {
    self.recorded = recorded
    self.level = level
    self.channels = channels
  }
}

/// One of the things that a playback plays one after the other, without a gap.
public struct PlaybackItem: Sendable {
  /// Where the audio comes from.
  public var source: PlaybackSource

  /// The part of the source that is played.
  public var range: PlaybackRange

  /// How often it is played; what follows an item that is played for ever is reached by
  /// `skip` only.
  public var repetition: PlaybackRepetition

  /// An item that plays all of `source` once, unless it says otherwise.
  public init(
    source: PlaybackSource, range: PlaybackRange = PlaybackRange(),
    repetition: PlaybackRepetition = .times(1)
  ) {
    self.source = source
    self.range = range
    self.repetition = repetition
  }
}

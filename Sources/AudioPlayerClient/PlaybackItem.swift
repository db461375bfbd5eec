/// An item of a playback; items play in order without gaps.
public struct PlaybackItem: Sendable {
  /// The source of the audio.
  public var source: PlaybackSource

  /// The part of the source that is played.
  public var range: PlaybackRange

  /// The number of repetitions; after an endless item the next one is reached only by `skip`.
  public var repetition: PlaybackRepetition

  /// Creates an item, by default one that plays all of `source` once.
  public init(
    source: PlaybackSource, range: PlaybackRange = PlaybackRange(),
    repetition: PlaybackRepetition = .times(1)
  ) {
    self.source = source
    self.range = range
    self.repetition = repetition
  }
}

/// The limits that keep cues readable; the defaults are those that broadcasters use.
public struct CuePolicy: Hashable, Sendable {
  /// The most characters in a line; a single word may be longer.
  public var charactersPerLine: Int
  /// The most lines in a cue.
  public var linesPerCue: Int
  /// The longest that the words of a cue may last; a single word may last longer.
  public var maximumDuration: Duration
  /// How long a cue stays at least, if the next one does not begin sooner.
  public var minimumDuration: Duration
  /// A pause between words that ends a cue.
  public var pause: Duration
  /// The time between the end of a cue that stays longer than its words and the next cue.
  public var gap: Duration

  /// A policy from its parts; numbers below 1 count as 1.
  public init(
    charactersPerLine: Int = 42, linesPerCue: Int = 2, maximumDuration: Duration = .seconds(7),
    minimumDuration: Duration = .seconds(1), pause: Duration = .milliseconds(700),
    gap: Duration = .milliseconds(80)
  ) {
    self.charactersPerLine = charactersPerLine
    self.linesPerCue = linesPerCue
    self.maximumDuration = maximumDuration
    self.minimumDuration = minimumDuration
    self.pause = pause
    self.gap = gap
  }
}

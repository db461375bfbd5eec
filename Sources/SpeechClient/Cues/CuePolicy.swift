/// What makes cues readable; the values of `init` are those that broadcasters use.
public struct CuePolicy: Hashable, Sendable {
  /// The characters of a line at most; a single word may be longer.
  public var charactersPerLine: Int
  /// The lines of a cue at most.
  public var linesPerCue: Int
  /// The longest that the words of a cue may last; a single word may last longer.
  public var maximumDuration: Duration
  /// How long a cue stays at least, where the next one leaves it the time.
  public var minimumDuration: Duration
  /// A pause between words that ends a cue.
  public var pause: Duration
  /// What is left free between a cue that stays longer than its words and the next one.
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

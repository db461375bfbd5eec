/// The piece of a transcript that is shown at one time, such as a subtitle.
public struct Cue: Hashable, Sendable {
  /// When it appears, from the beginning of the audio.
  public var start: Duration
  /// When it disappears.
  public var end: Duration
  /// Its lines, from top to bottom.
  public var lines: [String]

  /// A cue from its parts.
  public init(start: Duration, end: Duration, lines: [String]) {
    self.start = start
    self.end = end
    self.lines = lines
  }
}

/// How a stream is written to a file on its way.
public struct TeePolicy: Sendable {
  /// What becomes of frames that the stream lacks.
  public enum Gaps: Hashable, Sendable {
    /// They are silence in the file, so that its time-line is that of the stream.
    case silence
    /// They are missing in the file, too.
    case closedUp
  }

  /// What happens when the file cannot be written.
  public enum Failure: Sendable {
    /// The stream ends with the error, after the file is closed.
    case ends
    /// The file is closed, the function hears of the error once, and the stream goes on alone.
    case goesOn(@Sendable (any Error) -> Void)
  }

  /// What becomes of frames that the stream lacks.
  public var gaps: Gaps
  /// What happens when the file cannot be written.
  public var failure: Failure

  /// A policy; by default the file has the time-line of the stream, and its failure ends it.
  public init(gaps: Gaps = .silence, failure: Failure = .ends) {
    (self.gaps, self.failure) = (gaps, failure)
  }
}

public import AudioCore

/// What is missing at the end of a file.
public struct SoundFileShortfall: Equatable, Sendable, CustomStringConvertible {
  /// What the header said; nil where it said nothing, and yet the end is missing.
  public let announced: FrameCount?
  /// What there was.
  public let decoded: FrameCount
  /// The frames of a second.
  public let sampleRate: SampleRate

  /// A promise and what became of it.
  public init(announced: FrameCount?, decoded: FrameCount, sampleRate: SampleRate) {
    (self.announced, self.decoded, self.sampleRate) = (announced, decoded, sampleRate)
  }

  /// A short text for people.
  public var description: String {
    Self.text(
      announced: announced?.duration(at: sampleRate), decoded: decoded.duration(at: sampleRate))
  }

  /// The same of durations.
  package static func text(announced: Duration?, decoded: Duration) -> String {
    guard let announced else { return "the file breaks off after \(decoded.secondsText)" }
    return "\((announced - decoded).secondsText) of \(announced.secondsText) are missing"
  }
}

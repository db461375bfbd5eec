public import AudioCore

/// What is missing at the end of a file.
public struct SoundFileShortfall: Equatable, Sendable, CustomStringConvertible {
  /// What the header said; nil where it said nothing, and yet the end is missing.
  public let announced: FrameCount?
  /// What there was.
  public let decoded: FrameCount

  /// A promise and what became of it.
  public init(announced: FrameCount?, decoded: FrameCount) {
    (self.announced, self.decoded) = (announced, decoded)
  }

  /// A short text for people.
  public var description: String {
    guard let announced else { return "the file breaks off after \(decoded)" }
    return "the header says \(announced), \(decoded) were decoded"
  }
}

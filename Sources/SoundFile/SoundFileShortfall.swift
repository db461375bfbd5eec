public import AudioCore

/// How much a header promised too much.
public struct SoundFileShortfall: Equatable, Sendable, CustomStringConvertible {
  /// What the header said.
  public let announced: FrameCount
  /// What there was.
  public let decoded: FrameCount

  /// A promise and what became of it.
  public init(announced: FrameCount, decoded: FrameCount) {
    (self.announced, self.decoded) = (announced, decoded)
  }

  /// A short text for people.
  public var description: String {
    "the header says \(announced), \(decoded) were decoded"
  }
}

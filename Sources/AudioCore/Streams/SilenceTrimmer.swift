/// Leaves silence out: before the first sound, after the last one, and where it is long.
public struct SilenceTrimmer: AudioProcessor, Sendable {
  private var finder: SilenceFinder

  /// A machine for one policy.
  public init(_ policy: SilencePolicy) {
    finder = SilenceFinder(policy: policy)
  }

  /// The frames of which is not known yet whether they are left out: at most the longer of hold and
  /// margin.
  public var heldFrames: FrameCount { finder.heldFrames }

  /// Gives the sound that is known as such.
  public mutating func take(_ buffer: AudioBuffer) -> [AudioBuffer] {
    finder.take(buffer).compactMap(\.sound)
  }

  /// Gives the margin after the last sound.
  public mutating func finish() -> [AudioBuffer] {
    finder.finish().compactMap(\.sound)
  }
}

extension SilenceFinder.Piece {
  fileprivate var sound: AudioBuffer? {
    if case .sound(let buffer) = self { buffer } else { nil }
  }
}

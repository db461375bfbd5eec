/// What a stream that is split at silence yields.
public enum SoundPart: Equatable, Sendable {
  /// A sound begins with this frame, its margin included.
  case began(at: FrameCount)
  /// The next frames of the sound.
  case audio(AudioBuffer)
  /// The sound has ended before this frame, its margin included.
  case ended(at: FrameCount)
}

/// Cuts audio into sounds and leaves the silence between them out.
public struct SilenceSplitter: AudioProcessor, Sendable {
  private var finder: SilenceFinder
  private var continuity = Continuity()
  private var end: FrameCount?

  /// A machine for one policy.
  public init(_ policy: SilencePolicy) {
    finder = SilenceFinder(policy: policy)
  }

  /// The frames of which is not known yet what they belong to: at most the longer of hold and
  /// margin.
  public var heldFrames: FrameCount { finder.heldFrames }

  /// Gives the parts that are known with this buffer.
  public mutating func take(_ buffer: AudioBuffer) -> [SoundPart] {
    parts(of: finder.take(buffer))
  }

  /// Gives the margin after the last sound, and its end.
  public mutating func finish() -> [SoundPart] {
    parts(of: finder.finish()) + endOfSound()
  }

  private mutating func parts(of pieces: [SilenceFinder.Piece]) -> [SoundPart] {
    pieces.flatMap { piece in
      switch piece {
      case .silence: endOfSound()
      case .sound(let buffer): sound(buffer)
      }
    }
  }

  private mutating func sound(_ buffer: AudioBuffer) -> [SoundPart] {
    let isNew = continuity.note(buffer) != .goesOn || end == nil
    let begin = isNew ? endOfSound() + [.began(at: buffer.firstFrame)] : []
    end = buffer.endFrame
    return begin + [.audio(buffer)]
  }

  private mutating func endOfSound() -> [SoundPart] {
    end.take().map { [.ended(at: $0)] } ?? []
  }
}

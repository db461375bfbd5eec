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

/// What counts as silence, and how much of it stays around the sound.
public struct SilencePolicy: Hashable, Sendable {
  /// A frame is silent where every channel of it is below this level.
  public var threshold: Decibels

  /// How long silence lasts before it ends the sound; a shorter pause belongs to it.
  public var hold: Duration

  /// How much silence stays before the sound and after it.
  public var margin: Duration

  /// A policy; `hold` and `margin` must not be negative.
  public init(
    threshold: Decibels = Decibels(dBFS: -50), hold: Duration = .milliseconds(500),
    margin: Duration = .milliseconds(100)
  ) {
    precondition(hold >= .zero && margin >= .zero, "lengths of silence are not negative")
    (self.threshold, self.hold, self.margin) = (threshold, hold, margin)
  }
}

extension AsyncSequence where Element == AudioBuffer {
  /// The audio without the silence before its first sound and after its last one.
  ///
  /// A pause within the audio stays where it is shorter than `hold`, by default ten seconds; a
  /// longer one is left out but for its margins. What is left out is a gap in the indices: nothing
  /// is closed up, and `numbered(from:)` begins at 0 again. Audio without sound is empty.
  ///
  /// Silence of at most the longer of `hold` and `margin` is held back until it is known what
  /// follows.
  public func trimmingSilence(
    below threshold: Decibels = Decibels(dBFS: -50), hold: Duration = .seconds(10),
    margin: Duration = .milliseconds(100)
  ) -> ProcessedAudio<Self, SilenceTrimmer> {
    let policy = SilencePolicy(threshold: threshold, hold: hold, margin: margin)
    return processed(by: SilenceTrimmer(policy))
  }

  /// The sounds of the audio, one after the other, without the silence between them.
  ///
  /// Each is told with its first frame, its buffers in order, and its end. It ends when it has been
  /// silent for `hold`, at a gap in the indices, at a change of format, and with the audio. Frames
  /// keep their indices, and no frame is given twice: margins that would overlap are shorter.
  ///
  /// Silence of at most the longer of `hold` and `margin` is held back until it is known what
  /// follows.
  public func splitAtSilence(
    _ policy: SilencePolicy = SilencePolicy()
  ) -> ProcessedAudio<Self, SilenceSplitter> {
    processed(by: SilenceSplitter(policy))
  }
}

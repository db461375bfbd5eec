/// Divides audio into sounds and removes the silence between them; margins count as sound.
///
/// A gap ends a sound: the held frames are then returned or dropped as at the end of the audio.
public struct SilenceSplitter: AudioProcessor, Sendable {
  private let policy: SilencePolicy
  private let threshold: Float
  private var continuity = ContinuityChecker()
  private var offset = OffsetFilter()
  private var isInSound = false
  /// The silence that may still be returned with a sound: up to `hold` after a sound, or the latest
  /// `margin` before the next sound.
  private var held = HeldBuffers()
  private var rate = SampleRate.speech
  /// Detects gaps between the returned buffers; a new sound begins after a gap.
  private var soundContinuity = ContinuityChecker()
  /// The frame after the last returned frame of the current sound; nil between sounds.
  private var end: FrameCount?

  /// Creates a splitter with this policy.
  public init(_ policy: SilencePolicy) {
    self.policy = policy
    threshold = Float(policy.threshold.amplitude)
  }

  /// The number of held frames of silence, at most the longer of `hold` and `margin`.
  public var heldFrames: FrameCount { held.frameCount }

  /// Returns the starts, frames, and ends of sounds that are certain once this buffer is added.
  public mutating func process(_ buffer: AudioBuffer) -> [SoundPart] {
    guard !buffer.isEmpty else { return [] }
    let isBreak = continuity.check(buffer).isBreak
    var parts = isBreak ? decided() : []
    if isBreak { offset.reset() }
    rate = buffer.format.sampleRate
    let levels = offset.levels(of: buffer)
    for run in levels.silenceRuns(below: threshold, joinedUnder: frames(policy.hold)) {
      let isWhole = run.frames == 0..<buffer.frameCount
      let frames = isWhole ? buffer : buffer.frames(run.frames)
      parts += run.isSilent ? addSilence(frames) : addSound(frames)
    }
    return parts
  }

  /// Returns the last sound's remaining margin and its `.ended` part; nothing if it has already
  /// ended.
  public mutating func flush() -> [SoundPart] { decided() + endOfSound() }

  /// Ends the held silence: returns the margin that belongs to the last sound, and drops the rest.
  private mutating func decided() -> [SoundPart] {
    let margin = isInSound ? sound(held.popFirst(frames(policy.margin))) : []
    isInSound = false
    return margin + silence(held.popAll())
  }

  private mutating func addSound(_ buffer: AudioBuffer) -> [SoundPart] {
    isInSound = true
    return sound(held.popAll() + [buffer])
  }

  private mutating func addSilence(_ buffer: AudioBuffer) -> [SoundPart] {
    held.append(buffer)
    guard isInSound else { return surplus() }
    guard held.frameCount >= frames(policy.hold) else { return [] }
    isInSound = false
    return sound(held.popFirst(frames(policy.margin))) + surplus()
  }

  /// Drops the held silence that is older than the margin of the next sound; if frames are dropped,
  /// returns the end of the last sound.
  private mutating func surplus() -> [SoundPart] {
    silence(held.popFirst(held.frameCount - frames(policy.margin)))
  }

  private func frames(_ duration: Duration) -> FrameCount { FrameCount(duration, at: rate) }

  private mutating func sound(_ buffers: [AudioBuffer]) -> [SoundPart] {
    var parts: [SoundPart] = []
    for buffer in buffers {
      let isNew = soundContinuity.check(buffer) != .adjacent || end == nil
      if isNew { parts += endOfSound() + [.began(at: buffer.firstFrame)] }
      end = buffer.endFrame
      parts.append(.audio(buffer))
    }
    return parts
  }

  private mutating func silence(_ buffers: [AudioBuffer]) -> [SoundPart] {
    buffers.isEmpty ? [] : endOfSound()
  }

  private mutating func endOfSound() -> [SoundPart] {
    end.take().map { [.ended(at: $0)] } ?? []
  }
}

/// Removes silence before the first sound, after the last sound, and in long pauses.
public struct SilenceTrimmer: AudioProcessor, Sendable {
  private var splitter: SilenceSplitter

  /// Creates a trimmer with this policy.
  public init(_ policy: SilencePolicy) {
    splitter = SilenceSplitter(policy)
  }

  /// The number of held frames of silence, at most the longer of `hold` and `margin`.
  public var heldFrames: FrameCount { splitter.heldFrames }

  /// Returns the frames that are known to be sound once this buffer is processed.
  public mutating func process(_ buffer: AudioBuffer) -> [AudioBuffer] {
    splitter.process(buffer).compactMap(\.buffer)
  }

  /// Returns the margin after the last sound.
  public mutating func flush() -> [AudioBuffer] {
    splitter.flush().compactMap(\.buffer)
  }
}

/// An element of a stream that is split at silence.
public enum SoundPart: Equatable, Sendable {
  /// A sound begins with this frame, including its margin.
  case began(at: FrameCount)
  /// The next frames of the sound.
  case audio(AudioBuffer)
  /// The sound, including its margin, has ended before this frame.
  case ended(at: FrameCount)
}

extension SoundPart {
  fileprivate var buffer: AudioBuffer? {
    if case .audio(let buffer) = self { buffer } else { nil }
  }
}

extension AudioBuffer {
  /// Divides the buffer's frames into runs of silence and sound.
  ///
  /// Silence between two sounds that is shorter than `joined`, such as a zero crossing, belongs to
  /// the sound.
  fileprivate func silenceRuns(
    below threshold: Float, joinedUnder joined: FrameCount
  ) -> [(isSilent: Bool, frames: Range<FrameCount>)] {
    var runs: [(isSilent: Bool, frames: Range<FrameCount>)] = []
    for index in 0..<frameCount.rawValue {
      let (frame, isSilent) = (FrameCount(index), isSilent(index, below: threshold))
      if let last = runs.last, last.isSilent == isSilent {
        runs[runs.count - 1].frames = last.frames.lowerBound..<frame + 1
        continue
      }
      var first = frame
      if !isSilent, runs.count > 1, let pause = runs.last, frame - pause.frames.lowerBound < joined
      {
        runs.removeLast()
        first = runs.removeLast().frames.lowerBound
      }
      runs.append((isSilent, first..<frame + 1))
    }
    return runs
  }

  private func isSilent(_ frame: Int, below threshold: Float) -> Bool {
    let first = frame * format.channelCount
    for index in first..<first + format.channelCount where abs(samples[index]) >= threshold {
      return false
    }
    return true
  }
}

/// A queue of buffers, from which any number of the oldest frames can be removed.
package struct HeldBuffers: Sendable {
  package private(set) var frameCount: FrameCount = 0
  private var buffers: [AudioBuffer] = []
  /// The number of frames removed from the oldest buffer.
  private var taken: FrameCount = 0

  package init() {}

  package mutating func append(_ buffer: AudioBuffer) {
    guard !buffer.isEmpty else { return }
    frameCount += buffer.frameCount
    buffers.append(buffer)
  }

  /// Removes and returns the oldest `count` frames, or all frames if there are fewer; none for a
  /// negative count.
  package mutating func popFirst(_ count: FrameCount) -> [AudioBuffer] {
    var rest = min(count, frameCount)
    var output: [AudioBuffer] = []
    var finished = 0
    while rest > 0 {
      let buffer = buffers[finished]
      let end = min(taken + rest, buffer.frameCount)
      output.append(end - taken == buffer.frameCount ? buffer : buffer.frames(taken..<end))
      frameCount -= end - taken
      rest -= end - taken
      taken = end == buffer.frameCount ? 0 : end
      finished += taken == 0 ? 1 : 0
    }
    buffers.removeFirst(finished)
    return output
  }

  package mutating func popAll() -> [AudioBuffer] { popFirst(frameCount) }
}

/// The definition of silence, and the margin kept around sounds.
public struct SilencePolicy: Hashable, Sendable {
  /// A frame is silent if all its channels are below this level after the removal of a constant
  /// offset (DC).
  public var threshold: Decibels

  /// The duration of silence that ends a sound; a shorter pause belongs to the sound.
  public var hold: Duration

  /// The duration of silence kept before and after a sound.
  public var margin: Duration

  /// Creates a policy; `hold` and `margin` must not be negative.
  public init(
    threshold: Decibels = Decibels(-50), hold: Duration = .milliseconds(500),
    margin: Duration = .milliseconds(100)
  ) {
    precondition(hold >= .zero && margin >= .zero, "lengths of silence are not negative")
    (self.threshold, self.hold, self.margin) = (threshold, hold, margin)
  }
}

extension AsyncSequence where Element: AudioBlock {
  /// Removes the silence before the first sound and after the last sound.
  ///
  /// Pauses shorter than `hold`, by default ten seconds, stay. Longer pauses are removed except for
  /// their margins. Frames keep their indices, so removed frames leave gaps; to begin at index 0,
  /// use `numbered(from:)`. If there is no sound, the result is empty.
  ///
  /// Silence is held for at most the longer of `hold` and `margin`, and then yielded or dropped.
  public func trimmingSilence(
    below threshold: Decibels = Decibels(-50), hold: Duration = .seconds(10),
    margin: Duration = .milliseconds(100)
  ) -> ProcessedAudio<Self, SilenceTrimmer, Failure> {
    let policy = SilencePolicy(threshold: threshold, hold: hold, margin: margin)
    return processed(by: SilenceTrimmer(policy))
  }

  /// Yields the sounds of the audio in order, without the silence between them.
  ///
  /// Each sound has its first frame, its buffers in order, and its end. A sound ends after silence
  /// of `hold`, at a gap in the indices, at a change of format, and at the end of the audio. Frames
  /// keep their indices. No frame is repeated: overlapping margins are shortened.
  ///
  /// Silence is held for at most the longer of `hold` and `margin`, and then yielded or dropped.
  public func splitAtSilence(
    _ policy: SilencePolicy = SilencePolicy()
  ) -> ProcessedAudio<Self, SilenceSplitter, Failure> {
    processed(by: SilenceSplitter(policy))
  }
}

/// Classifies every frame, in order, as sound or silence; margins count as sound.
///
/// A gap ends the sound and the silence: what was held before it is given as if the audio ended.
private struct SilenceFinder: Sendable {
  enum Piece: Equatable {
    case sound(AudioBuffer)
    case silence(AudioBuffer)
  }

  private let policy: SilencePolicy
  private let threshold: Float
  private var continuity = Continuity()
  private var isInSound = false
  /// Silence of which is not known yet what it belongs to: after a sound up to `hold`, else the
  /// margin of the next one.
  private var held = HeldBuffers()
  private var rate = SampleRate.speech

  init(policy: SilencePolicy) {
    self.policy = policy
    threshold = Float(policy.threshold.amplitude)
  }

  var heldFrames: FrameCount { held.frameCount }

  mutating func take(_ buffer: AudioBuffer) -> [Piece] {
    guard !buffer.isEmpty else { return [] }
    var pieces = continuity.note(buffer).isBreak ? finish() : []
    rate = buffer.format.sampleRate
    for run in buffer.silenceRuns(below: threshold, joinedUnder: frames(policy.hold)) {
      let isWhole = run.range == 0..<buffer.frameCount
      let frames = isWhole ? buffer : buffer.frames(run.range)
      pieces += run.isSilent ? addSilence(frames) : addSound(frames)
    }
    return pieces
  }

  mutating func finish() -> [Piece] {
    defer { isInSound = false }
    let margin = isInSound ? held.take(frames(policy.margin)) : []
    return margin.map(Piece.sound) + held.takeAll().map(Piece.silence)
  }

  private mutating func addSound(_ sound: AudioBuffer) -> [Piece] {
    isInSound = true
    return (held.takeAll() + [sound]).map(Piece.sound)
  }

  private mutating func addSilence(_ silence: AudioBuffer) -> [Piece] {
    held.append(silence)
    guard isInSound else { return surplus() }
    guard held.frameCount >= frames(policy.hold) else { return [] }
    isInSound = false
    return held.take(frames(policy.margin)).map(Piece.sound) + surplus()
  }

  /// Gives away the silence that is too old to be the margin of the next sound.
  private mutating func surplus() -> [Piece] {
    held.take(held.frameCount - frames(policy.margin)).map(Piece.silence)
  }

  private func frames(_ duration: Duration) -> FrameCount { FrameCount(duration, at: rate) }
}

/// Neighbouring frames of a buffer that are all silent, or sound.
private struct SilenceRun: Equatable {
  var isSilent: Bool
  var range: Range<FrameCount>
}

extension AudioBuffer {
  /// The buffer's frames in runs of silent ones and sound; silence between two sounds that is
  /// shorter than `joined`, as where a wave crosses zero, is part of them.
  fileprivate func silenceRuns(below threshold: Float, joinedUnder joined: FrameCount)
    -> [SilenceRun]
  {
    var runs: [SilenceRun] = []
    for frame in 0..<frameCount.rawValue {
      let isSilent = isSilent(frame, below: threshold)
      if let last = runs.last, last.isSilent == isSilent {
        runs[runs.count - 1].range = last.range.lowerBound..<FrameCount(frame + 1)
      } else {
        runs.append(FrameCount(frame), isSilent: isSilent, joinedUnder: joined)
      }
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

extension [SilenceRun] {
  /// Begins a run, or goes on with the one before the last where what lies between is short.
  fileprivate mutating func append(
    _ frame: FrameCount, isSilent: Bool, joinedUnder joined: FrameCount
  ) {
    var first = frame
    if !isSilent, count > 1, let pause = last, frame - pause.range.lowerBound < joined {
      removeLast()
      first = removeLast().range.lowerBound
    }
    append(SilenceRun(isSilent: isSilent, range: first..<frame + 1))
  }
}

/// Buffers that wait, in order; frames are taken from the oldest, which is cut where needed.
package struct HeldBuffers: Sendable {
  package private(set) var frameCount: FrameCount = 0
  private var buffers: [AudioBuffer] = []
  /// The frames of the oldest buffer that are taken already.
  private var taken: FrameCount = 0

  package init() {}

  package mutating func append(_ buffer: AudioBuffer) {
    guard !buffer.isEmpty else { return }
    frameCount += buffer.frameCount
    buffers.append(buffer)
  }

  /// Takes the oldest frames, at most all there are; none where `count` is not above 0.
  package mutating func take(_ count: FrameCount) -> [AudioBuffer] {
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

  package mutating func takeAll() -> [AudioBuffer] { take(frameCount) }
}

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
  /// Each is reported with its first frame, its buffers in order, and its end. It ends when it has been
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

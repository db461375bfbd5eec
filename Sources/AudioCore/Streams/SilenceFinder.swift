/// Says of every frame, in order, whether it is sound or silence; margins count as sound.
///
/// A gap ends the sound and the silence: what was held before it is given as if the audio ended.
struct SilenceFinder: Sendable {
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

/// Drops the audio before the first sound of sufficient length, except for the pre-roll.
///
/// A sound begins with a loud frame and lasts to the last loud frame before a pause of 50 ms.
public struct StartGate: AudioProcessor, Sendable {
  /// The buffers from the start of the pre-roll on, and the number of frames in the pre-roll.
  package typealias Beginning = (preRoll: FrameCount, buffers: [AudioBuffer])

  private static let pause = Duration.milliseconds(50)

  /// The amplitude of a loud frame; nil if only a command begins the audio.
  private let threshold: Float?
  private let (hold, preRoll): (Duration, Duration)
  private var continuity = ContinuityChecker()
  private var offset = OffsetFilter()
  private var held = HeldBuffers()
  private var rate = SampleRate.speech
  /// The number of frames so far, without lost frames.
  private var position: FrameCount = 0
  /// The first and the last loud frame of a sound that may still become long enough.
  private var sound: (first: FrameCount, last: FrameCount)?
  private var isOpen = false

  /// Creates a gate that a sound opens.
  ///
  /// - Parameters:
  ///   - threshold: the minimum level of a loud frame. One loud channel is enough. The level is
  ///     measured after the removal of a constant offset (DC).
  ///   - hold: the minimum duration of a sound that opens the gate.
  ///   - preRoll: the duration of audio before the sound to keep.
  public init(above threshold: Decibels, hold: Duration, preRoll: Duration) {
    (self.threshold, self.hold) = (Float(threshold.amplitude), hold)
    self.preRoll = max(.zero, preRoll)
  }

  /// Creates a gate that only `begin` opens.
  package init(preRoll: Duration) {
    (threshold, hold, self.preRoll) = (nil, .zero, preRoll)
  }

  /// The number of held frames: at most those of the pre-roll, the hold, and a pause.
  public var heldFrames: FrameCount { held.frameCount }

  /// Returns the audio from the pre-roll on.
  public mutating func process(_ buffer: AudioBuffer) -> [AudioBuffer] {
    guard !isOpen, !buffer.isEmpty else { return isOpen ? [buffer] : [] }
    switch continuity.check(buffer) {
    case .first, .adjacent: break
    // `position` excludes lost frames, so the last loud frame moves back to lengthen the pause.
    case .gap(let missing): sound?.last -= missing
    case .restart:
      _ = held.popAll()
      sound = nil
      offset.reset()
    }
    return opening(in: buffer).map { current($0) } ?? []
  }

  /// Returns the buffers of `beginning` from the pre-roll on; gaps count toward the pre-roll.
  private func current(_ beginning: Beginning) -> [AudioBuffer] {
    var (first, before) = (FrameCount(0) - FrameCount(preRoll, at: rate), beginning.preRoll)
    for buffer in beginning.buffers {
      if before < buffer.frameCount {
        first += buffer.firstFrame + before
        break
      }
      before -= buffer.frameCount
    }
    return beginning.buffers.compactMap { buffer in
      let old = max(0, first - buffer.firstFrame)
      return old < buffer.frameCount ? buffer.frames(old..<buffer.frameCount) : nil
    }
  }

  /// Adds a buffer that follows the previous buffer; once a sound is long enough, returns the audio
  /// from the pre-roll on.
  package mutating func opening(in buffer: AudioBuffer) -> Beginning? {
    rate = buffer.format.sampleRate
    held.append(buffer)
    let onset = onset(in: buffer)
    position += buffer.frameCount
    if let onset { return begin(at: onset) }
    if let sound, position - sound.last > FrameCount(Self.pause, at: rate) { self.sound = nil }
    forget(before: sound?.first ?? position)
    return nil
  }

  /// Opens the gate now, without waiting for a sound, and returns the pre-roll.
  package mutating func begin() -> Beginning { begin(at: position) }

  private mutating func begin(at onset: FrameCount) -> Beginning {
    isOpen = true
    forget(before: onset)
    let first = position - held.frameCount
    return (onset - first, held.popAll())
  }

  /// Drops the frames that are older than the pre-roll of a sound that begins at `onset`.
  private mutating func forget(before onset: FrameCount) {
    let first = onset - FrameCount(preRoll, at: rate)
    _ = held.popFirst(first - (position - held.frameCount))
  }

  /// Returns the first frame of a sound that becomes long enough in this buffer.
  private mutating func onset(in buffer: AudioBuffer) -> FrameCount? {
    guard let threshold else { return nil }
    let levels = offset.levels(of: buffer)
    let (hold, pause) = (FrameCount(hold, at: rate), FrameCount(Self.pause, at: rate))
    var next = levels.firstLoudFrame(threshold)
    while let index = next {
      let frame = position + index
      let first = sound.flatMap { frame - $0.last > pause ? nil : $0.first } ?? frame
      sound = (first, frame)
      if frame - first + 1 >= hold { return first }
      next = levels.firstLoudFrame(threshold, from: index + 1)
    }
    return nil
  }
}

/// Ends audio after silence, which is measured from the beginning or the last loud frame.
public struct SilenceEnd: AudioProcessor, Sendable {
  private let threshold: Float
  private let (hold, preRoll): (Duration, Duration)
  private var offset = OffsetFilter()
  private var rate: SampleRate?
  private var quiet: FrameCount = 0
  /// The number of the pre-roll's remaining frames.
  private var skipped: FrameCount = 0

  /// Whether silence has ended the audio.
  public private(set) var isOver = false

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - threshold: the minimum level of a loud frame. One loud channel is enough. The level is
  ///     measured after the removal of a constant offset (DC).
  ///   - hold: the duration of silence that ends the audio.
  ///   - preRoll: the duration at the beginning that does not count as silence, even if a
  ///     `StartGate` yields less audio before the sound.
  public init(below threshold: Decibels, hold: Duration, preRoll: Duration = .zero) {
    self.threshold = Float(threshold.amplitude)
    (self.hold, self.preRoll) = (hold, max(.zero, preRoll))
  }

  /// Returns the part of the buffer before the end.
  public mutating func process(_ buffer: AudioBuffer) -> [AudioBuffer] {
    guard !isOver else { return [] }
    if rate == nil { skip(FrameCount(preRoll, at: buffer.format.sampleRate)) }
    let last = end(in: buffer) ?? buffer.frameCount
    return last == buffer.frameCount ? [buffer] : last > 0 ? [buffer.frames(0..<last)] : []
  }

  /// Excludes the next `frames` frames from the measured silence.
  package mutating func skip(_ frames: FrameCount) {
    skipped += frames
    quiet -= frames
  }

  /// Returns the number of the buffer's frames before the end; nil if the audio continues.
  package mutating func end(in buffer: AudioBuffer) -> FrameCount? {
    note(buffer.format.sampleRate)
    let hold = max(1, FrameCount(hold, at: buffer.format.sampleRate))
    let levels = offset.levels(of: buffer)
    var position: FrameCount = 0
    while true {
      let next = levels.firstLoudFrame(threshold, from: position) ?? buffer.frameCount
      if quiet + next - position >= hold {
        isOver = true
        return position + hold - quiet
      }
      quiet += next - position
      skipped -= min(skipped, min(next + 1, buffer.frameCount) - position)
      guard next < buffer.frameCount else { return nil }
      quiet = 0 - skipped
      position = next + 1
    }
  }

  /// Converts the measured silence after a change of the rate.
  private mutating func note(_ newRate: SampleRate) {
    if let rate, rate != newRate {
      quiet = quiet.converted(from: rate, to: newRate)
      skipped = skipped.converted(from: rate, to: newRate)
    }
    rate = newRate
  }
}

extension AsyncSequence where Element: AudioBlock {
  /// Drops the audio before the first sound of sufficient length, except for the pre-roll, as
  /// `syrinx record --start-at-sound` does.
  ///
  /// A pause of up to 50 ms, including lost frames, belongs to the sound; a longer pause ends the
  /// sound. Lost frames count toward the pre-roll, but not toward the length of a sound. Frames
  /// keep their indices. The audio is empty if no sound is long enough. At most the frames
  /// of `preRoll`, `hold`, and a pause are held.
  ///
  /// - Parameters:
  ///   - threshold: the minimum level of a loud frame. One loud channel is enough. The level is
  ///     measured after the removal of a constant offset (DC).
  ///   - hold: the minimum duration of a sound, by default 100 ms; shorter sounds, such as clicks,
  ///     are ignored.
  ///   - preRoll: the duration of audio before the sound to keep.
  public func startingAtSound(
    above threshold: Decibels = Decibels(-40), hold: Duration = .milliseconds(100),
    preRoll: Duration = .zero
  ) -> ProcessedAudio<Self, StartGate, Failure> {
    processed(by: StartGate(above: threshold, hold: hold, preRoll: preRoll))
  }

  /// Ends the audio after silence, as `syrinx record --stop-after-silence` does.
  ///
  /// The base sequence is then released. Silence is measured from the beginning or the last loud
  /// frame, and is part of the audio. Lost frames do not count as silence.
  ///
  /// - Parameters:
  ///   - threshold: the minimum level of a loud frame. One loud channel is enough. The level is
  ///     measured after the removal of a constant offset (DC).
  ///   - hold: the duration of silence that ends the audio.
  ///   - preRoll: the duration at the beginning that does not count as silence. After
  ///     `startingAtSound`, pass its `preRoll`. If less audio preceded the sound, the full duration
  ///     still applies, so the audio can end later than that of `syrinx record`.
  public func endingAfterSilence(
    below threshold: Decibels = Decibels(-40), hold: Duration, preRoll: Duration = .zero
  ) -> ProcessedAudio<Self, SilenceEnd, Failure> {
    processed(by: SilenceEnd(below: threshold, hold: hold, preRoll: preRoll))
  }
}

/// The loud frames of a buffer.
extension AudioBuffer {
  /// Tests quickly whether a sample may reach `threshold`.
  ///
  /// False means that no sample does. The result is also true if a sample is NaN.
  package func mayBeLoud(_ threshold: Float) -> Bool {
    samples.withUnsafeBufferPointer { samples in
      // Without the sign bit, bit patterns of floats have the order of their values. For a sample
      // of at least `threshold`, the difference is therefore negative, which sets its highest bit.
      var differences: UInt32 = 0
      for sample in samples {
        differences |= (threshold.bitPattern &- 1) &- (sample.bitPattern & 0x7FFF_FFFF)
      }
      return differences >> 31 == 1
    }
  }

  /// The first frame from `start` on with a sample of at least `threshold`; nil if all are quiet.
  package func firstLoudFrame(_ threshold: Float, from start: FrameCount = 0) -> FrameCount? {
    samples.withUnsafeBufferPointer { samples in
      let first = min(start.rawValue * format.channelCount, samples.count)
      return samples[first...].firstIndex { abs($0) >= threshold }
        .map { FrameCount($0 / format.channelCount) }
    }
  }

  /// The last frame with a sample of at least `threshold`; nil if all are quiet.
  package func lastLoudFrame(_ threshold: Float) -> FrameCount? {
    samples.withUnsafeBufferPointer { samples in
      samples.lastIndex { abs($0) >= threshold }.map { FrameCount($0 / format.channelCount) }
    }
  }
}

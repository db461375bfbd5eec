/// Drops the audio before the first sound of sufficient length, except for the pre-roll.
///
/// A sound begins with a loud frame and lasts to the last loud frame before a pause of 50 ms.
public struct StartGate: AudioProcessor, Sendable {
  /// The frames from the pre-roll on, and the number of those before the beginning.
  package typealias Beginning = (preRoll: FrameCount, buffers: [AudioBuffer])

  private static let pause = Duration.milliseconds(50)

  /// The amplitude of a loud frame; nil if only a command begins the audio.
  private let threshold: Float?
  private let (hold, preRoll): (Duration, Duration)
  private var continuity = ContinuityChecker()
  private var offset = OffsetFilter()
  private var held = HeldBuffers()
  private var rate = SampleRate.speech
  /// The number of frames so far, without lost ones.
  private var position: FrameCount = 0
  /// The first and the last loud frame of a sound that may still become long enough.
  private var sound: (first: FrameCount, last: FrameCount)?
  private var isOpen = false

  /// Creates a gate that a sound opens.
  ///
  /// - Parameters:
  ///   - threshold: the level from which a frame is loud in any channel, without a constant offset
  ///     (DC).
  ///   - hold: the duration of a sound that opens the gate.
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
    // The last loud frame only measures the pause.
    case .gap(let missing): sound?.last -= missing
    case .restart:
      _ = held.popAll()
      sound = nil
      offset.reset()
    }
    return opening(in: buffer).map { current($0) } ?? []
  }

  /// Returns the audio of a beginning without the frames that a gap moves out of the pre-roll.
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

  /// Holds audio that follows the previous buffer; returns the beginning as soon as a sound is long
  /// enough.
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

  /// Begins now, on command.
  package mutating func begin() -> Beginning { begin(at: position) }

  private mutating func begin(at onset: FrameCount) -> Beginning {
    isOpen = true
    forget(before: onset)
    let first = position - held.frameCount
    return (onset - first, held.popAll())
  }

  /// Drops the frames that are too old for the pre-roll of a beginning at `onset`.
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
  /// The number of frames of the pre-roll that are still to come.
  private var skipped: FrameCount = 0

  /// Whether silence has ended the audio.
  public private(set) var isOver = false

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - threshold: the level from which a frame is loud in any channel, without a constant offset
  ///     (DC).
  ///   - hold: the duration of silence that ends the audio.
  ///   - preRoll: the duration at the beginning that does not count as silence, whether or not a
  ///     gate had that much audio before the sound.
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

  /// Does not count the next `frames` as silence.
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
  /// A pause of up to 50 ms, with its lost frames, belongs to the sound, and a longer one ends it.
  /// Lost frames take up time of the pre-roll, but do not make a sound longer. Frames keep their
  /// indices. The audio is empty if there is no such sound. At most the pre-roll, the hold, and a
  /// pause are held.
  ///
  /// - Parameters:
  ///   - threshold: the level from which a frame is loud in any channel, without a constant offset
  ///     (DC).
  ///   - hold: the duration of a sound that begins the audio; shorter ones, such as clicks, do not.
  ///   - preRoll: the duration of audio before the sound to keep.
  public func startingAtSound(
    above threshold: Decibels = Decibels(-40), hold: Duration = .milliseconds(100),
    preRoll: Duration = .zero
  ) -> ProcessedAudio<Self, StartGate, Failure> {
    processed(by: StartGate(above: threshold, hold: hold, preRoll: preRoll))
  }

  /// Ends the audio after silence, by the rule of `syrinx record --stop-after-silence`; the base
  /// sequence is released then.
  ///
  /// Silence is measured from the beginning or the last loud frame; it is part of the audio. Lost
  /// frames do not count.
  ///
  /// - Parameters:
  ///   - threshold: the level from which a frame is loud in any channel, without a constant offset
  ///     (DC).
  ///   - hold: the duration of silence that ends the audio.
  ///   - preRoll: the duration at the beginning that does not count as silence: that of
  ///     `startingAtSound`. If there was less audio before the sound, the rest of the pre-roll does
  ///     not count as silence either, unlike in a recording: the end is later by at most that rest.
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
      // Without the sign, the bits of floats have the order of their values, and subtracting larger
      // bits sets the highest bit.
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

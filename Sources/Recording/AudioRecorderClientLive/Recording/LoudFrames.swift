import AudioCore
import AudioRecorderClient

extension AudioBuffer {
  /// Tests quickly whether a sample may reach `threshold`.
  ///
  /// False means that no sample does. The result is also true if a sample is NaN.
  func mayBeLoud(_ threshold: Float) -> Bool {
    samples.withUnsafeBufferPointer { samples in
      // Without the sign bit, a larger bit pattern means a larger magnitude, so this subtraction
      // sets the highest bit if a sample reaches the threshold.
      var differences: UInt32 = 0
      for sample in samples {
        differences |= (threshold.bitPattern &- 1) &- (sample.bitPattern & 0x7FFF_FFFF)
      }
      return differences >> 31 == 1
    }
  }

  /// The first frame from `start` on with a sample of at least `threshold`; nil if all are quiet.
  func firstLoudFrame(_ threshold: Float, from start: FrameCount = 0) -> FrameCount? {
    samples.withUnsafeBufferPointer { samples in
      let first = min(start.rawValue * format.channelCount, samples.count)
      return samples[first...].firstIndex { abs($0) >= threshold }
        .map { FrameCount($0 / format.channelCount) }
    }
  }

  /// The last frame with a sample of at least `threshold`; nil if all are quiet.
  func lastLoudFrame(_ threshold: Float) -> FrameCount? {
    samples.withUnsafeBufferPointer { samples in
      samples.lastIndex { abs($0) >= threshold }.map { FrameCount($0 / format.channelCount) }
    }
  }
}

extension LevelRule {
  /// The amplitude from which a sample is loud.
  var amplitude: Float { Float(threshold.amplitude) }
}

/// Detects a microphone that delivers almost only silence, such as a switched-off microphone.
struct SilentMicrophone {
  private let threshold: Float
  private let hold: FrameCount
  private var quiet: FrameCount = 0
  private var highest: Float = 0
  /// Whether a warning was reported or a sound was captured.
  private var isOver = false

  init(_ rule: LevelRule, rate: SampleRate) {
    threshold = rule.amplitude
    hold = FrameCount(rule.hold, at: rate)
  }

  /// Processes a buffer; returns the peak level once, if there was no sound since the beginning.
  ///
  /// After the first sound, the microphone is known to work, so later silence is ignored.
  mutating func process(_ buffer: AudioBuffer) -> Decibels? {
    guard !isOver else { return nil }
    if buffer.mayBeLoud(threshold), buffer.firstLoudFrame(threshold) != nil {
      isOver = true
      return nil
    }
    quiet += buffer.frameCount
    highest = buffer.samples.reduce(highest) { max($0, abs($1)) }
    guard quiet >= hold else { return nil }
    isOver = true
    return Decibels(amplitude: Double(highest))
  }
}

/// Ends a recording after silence.
struct SilenceEnd {
  private let threshold: Float
  private let hold: FrameCount
  private var offset = OffsetFilter()
  private var quiet: FrameCount = 0
  private var skipped: FrameCount = 0

  init(_ rule: LevelRule, rate: SampleRate) {
    threshold = rule.amplitude
    hold = FrameCount(rule.hold, at: rate)
  }

  /// Excludes the next `frames` frames from the duration of silence.
  mutating func skip(_ frames: FrameCount) {
    skipped += frames
    quiet -= frames
  }

  /// Processes a buffer; returns the number of its frames before the recording's end, or nil if the
  /// recording continues.
  mutating func process(_ buffer: AudioBuffer) -> FrameCount? {
    let levels = offset.levels(of: buffer)
    var position: FrameCount = 0
    while true {
      let next = levels.firstLoudFrame(threshold, from: position) ?? buffer.frameCount
      if quiet + next - position >= hold { return position + hold - quiet }
      quiet += next - position
      skipped -= min(skipped, min(next + 1, buffer.frameCount) - position)
      guard next < buffer.frameCount else { return nil }
      quiet = 0 - skipped
      position = next + 1
    }
  }
}

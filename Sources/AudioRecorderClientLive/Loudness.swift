import AudioCore
import AudioRecorderClient

/// Tells loud frames from quiet ones: a frame is loud where a channel of it reaches the threshold.
struct Loudness {
  private let threshold: Float

  init(threshold: Decibels) {
    self.threshold = Float(threshold.amplitude)
  }

  /// - Parameter threshold: the size of a sample.
  init(threshold: Float) {
    self.threshold = threshold
  }

  /// False where no frame is loud, soon found out; true also where a sample is not a number.
  func mayBeLoud(_ buffer: AudioBuffer) -> Bool {
    buffer.samples.withUnsafeBufferPointer { samples in
      // Without their sign, the bits of a number grow with it: the difference to those of a louder
      // one has the highest bit.
      var differences: UInt32 = 0
      for sample in samples {
        differences |= (threshold.bitPattern &- 1) &- (sample.bitPattern & 0x7FFF_FFFF)
      }
      return differences >> 31 == 1
    }
  }

  /// The first frame of a buffer from `start` on that is loud, nil where all are quiet.
  func firstLoud(in buffer: AudioBuffer, from start: FrameCount = 0) -> FrameCount? {
    let channels = buffer.format.channelCount
    return buffer.samples.withUnsafeBufferPointer { samples in
      let first = min(start.rawValue * channels, samples.count)
      return samples[first...].firstIndex { abs($0) >= threshold }
        .map { FrameCount($0 / channels) }
    }
  }

  /// The last loud frame of a buffer, nil where all are quiet.
  func lastLoud(in buffer: AudioBuffer) -> FrameCount? {
    buffer.samples.withUnsafeBufferPointer { samples in
      samples.lastIndex { abs($0) >= threshold }
        .map { FrameCount($0 / buffer.format.channelCount) }
    }
  }
}

/// Notices a microphone that gives next to nothing, as one that is switched off does.
struct SilentMicrophone {
  private let loudness: Loudness
  private let patience: FrameCount
  private var quiet: FrameCount = 0
  private var highest: Float = 0
  private var hasWarned = false

  init(_ rule: LevelRule, rate: SampleRate) {
    loudness = Loudness(threshold: rule.threshold)
    patience = FrameCount(rule.hold, at: rate)
  }

  /// How loud it was at most, once for every stretch that is quiet for so long.
  mutating func hears(_ buffer: AudioBuffer) -> Decibels? {
    if let last = loudness.lastLoud(in: buffer) {
      quiet = buffer.frameCount - last - 1
      (highest, hasWarned) = (0, false)
    } else {
      quiet += buffer.frameCount
      highest = buffer.samples.reduce(highest) { max($0, abs($1)) }
    }
    guard quiet >= patience, !hasWarned else { return nil }
    hasWarned = true
    return Decibels(amplitude: Double(highest))
  }
}

/// Ends a recording after silence.
struct SilenceEnd {
  private let loudness: Loudness
  private let hold: FrameCount
  private var quiet: FrameCount = 0
  private var skipped: FrameCount = 0

  init(_ rule: LevelRule, rate: SampleRate) {
    loudness = Loudness(threshold: rule.threshold)
    hold = FrameCount(rule.hold, at: rate)
  }

  /// So many frames, which come first, are not counted as silence.
  mutating func skip(_ frames: FrameCount) {
    skipped += frames
    quiet -= frames
  }

  /// How many frames of a buffer there are before the end, nil where the end is not in it.
  mutating func take(_ buffer: AudioBuffer) -> FrameCount? {
    var position: FrameCount = 0
    while true {
      let next = loudness.firstLoud(in: buffer, from: position) ?? buffer.frameCount
      if quiet + next - position >= hold { return position + hold - quiet }
      quiet += next - position
      skipped -= min(skipped, min(next + 1, buffer.frameCount) - position)
      guard next < buffer.frameCount else { return nil }
      quiet = 0 - skipped
      position = next + 1
    }
  }
}

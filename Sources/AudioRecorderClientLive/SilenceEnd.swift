import AudioCore
import AudioRecorderClient

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

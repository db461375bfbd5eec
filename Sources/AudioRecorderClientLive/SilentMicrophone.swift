import AudioCore
import AudioRecorderClient

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

import AudioCore
import AudioRecorderClient

/// Leaves out the silence at the beginning and at the end, but for a margin; pauses within the
/// sound stay.
struct EdgeTrimmer {
  /// Silence that lasts longer is not held back for its end: it belongs to the recording.
  static let limit = Duration.seconds(60)

  private let loudness: Loudness
  private let margin: FrameCount
  private let limit: FrameCount
  private var held = HeldBuffers()
  private var hasBegun = false
  /// Whether silence is in the recording that was held back for too long.
  private var hasGivenSilence = false

  init(_ rule: LevelRule, rate: SampleRate, limit: Duration = Self.limit) {
    loudness = Loudness(threshold: rule.threshold)
    margin = FrameCount(rule.hold, at: rate)
    self.limit = max(margin, FrameCount(limit, at: rate))
  }

  var heldFrames: FrameCount { held.frameCount }

  /// Those of them that sound would make part of the recording for certain.
  var pendingFrames: FrameCount { hasBegun ? held.frameCount : 0 }

  mutating func take(_ buffer: AudioBuffer) -> [AudioBuffer] {
    held.append(buffer)
    guard let last = loudness.lastLoud(in: buffer) else { return takeSilence() }
    if !hasBegun, let first = loudness.firstLoud(in: buffer) {
      _ = held.take(held.frameCount - buffer.frameCount + first - margin)
      hasBegun = true
    }
    hasGivenSilence = false
    return held.take(held.frameCount - (buffer.frameCount - last - 1))
  }

  /// The margin after the last sound.
  mutating func finish() -> [AudioBuffer] {
    hasBegun && !hasGivenSilence ? held.take(margin) : []
  }

  private mutating func takeSilence() -> [AudioBuffer] {
    guard hasBegun else {
      _ = held.take(held.frameCount - margin)
      return []
    }
    let surplus = held.take(held.frameCount - limit)
    if !surplus.isEmpty { hasGivenSilence = true }
    return surplus
  }
}

import AudioCore
import AudioRecorderClient

/// Detects a microphone that delivers almost only silence, such as a switched-off microphone.
struct SilentMicrophone {
  private let threshold: Float
  private let hold: FrameCount
  private var quiet: FrameCount = 0
  private var highest: Float = 0
  /// Whether a warning was reported or a sound was captured.
  private var isOver = false

  init(_ rule: LevelRule, rate: SampleRate) {
    threshold = Float(rule.threshold.amplitude)
    hold = FrameCount(rule.hold, at: rate)
  }

  /// Processes a buffer; returns the peak level once, if there was no sound since the beginning.
  ///
  /// A microphone that has captured a sound is not muted, so later silence is ignored.
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

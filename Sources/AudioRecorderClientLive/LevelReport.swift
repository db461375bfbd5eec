import AudioCore
import AudioRecorderClient

/// Measures what is recorded and says ten times a second how loud it was.
struct LevelReport {
  private let format: AudioFormat
  private let interval: FrameCount
  private var meter = AudioMeter()
  private var measured: FrameCount = 0

  init(format: AudioFormat) {
    self.format = format
    interval = FrameCount(.milliseconds(100), at: format.sampleRate)
  }

  /// Takes what was recorded into account; a report where a tenth of a second is full.
  mutating func add(_ buffer: AudioBuffer, recorded: FrameCount) -> RecordingLevels? {
    meter.add(buffer.samples)
    measured += buffer.frameCount
    guard measured >= interval else { return nil }
    defer {
      meter.reset()
      measured = 0
    }
    return RecordingLevels(
      recorded: recorded.duration(at: format.sampleRate), level: meter.level)
  }
}

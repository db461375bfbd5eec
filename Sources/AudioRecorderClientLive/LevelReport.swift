import AudioCore
import AudioRecorderClient

/// Measures what is recorded and says ten times a second how loud it was.
struct LevelReport {
  private let format: AudioFormat
  private let interval: FrameCount
  private var channels: [ChannelMeter]
  private var measured: FrameCount = 0

  init(format: AudioFormat) {
    self.format = format
    interval = FrameCount(.milliseconds(100), at: format.sampleRate)
    channels = Array(repeating: ChannelMeter(), count: format.channelCount)
  }

  /// Takes what was heard into account; a report where a tenth of a second is full.
  mutating func add(_ buffer: AudioBuffer, recorded: FrameCount) -> RecordingLevels? {
    for index in channels.indices {
      channels[index].add(buffer.samples, from: index, step: channels.count)
    }
    measured += buffer.frameCount
    guard measured >= interval else { return nil }
    defer {
      for index in channels.indices { channels[index].reset() }
      measured = 0
    }
    return report(recorded)
  }

  /// Takes frames of the recording itself into account, which may have been heard earlier.
  mutating func count(recorded buffer: AudioBuffer) {
    for index in channels.indices {
      channels[index].count(clipped: buffer.samples, from: index, step: channels.count)
    }
  }

  private mutating func report(_ recorded: FrameCount) -> RecordingLevels {
    let length = measured.duration(at: format.sampleRate)
    let square = channels.map(\.meanSquare).reduce(0, +) / Double(channels.count)
    let highest = channels.map(\.highest).max() ?? 0
    return RecordingLevels(
      recorded: recorded.duration(at: format.sampleRate),
      level: AudioLevel(
        peak: Decibels(amplitude: Double(highest)),
        rms: Decibels(amplitude: square.squareRoot())),
      channels: channels.indices.map { channels[$0].level(after: length) })
  }
}

import AudioCore
import AudioRecorderClient

/// Measures what is recorded and says in an interval how loud it was.
struct LevelReport {
  static let shortestInterval = Duration.milliseconds(100)

  /// After how much sound it says so.
  let interval: Duration
  private let format: AudioFormat
  private let frames: FrameCount
  private let clipping = Loudness(threshold: ChannelMeter.fullScale)
  private var channels: [ChannelMeter]
  private var measured: FrameCount = 0

  init(format: AudioFormat, interval: Duration = shortestInterval) {
    self.format = format
    self.interval = max(Self.shortestInterval, interval)
    frames = FrameCount(self.interval, at: format.sampleRate)
    channels = Array(repeating: ChannelMeter(), count: format.channelCount)
  }

  /// Takes what was heard into account; a report where the interval is full.
  mutating func add(_ buffer: AudioBuffer, recorded: FrameCount) -> RecordingLevels? {
    for index in channels.indices {
      channels[index].add(buffer.samples, from: index, step: channels.count)
    }
    measured += buffer.frameCount
    guard measured >= frames else { return nil }
    defer {
      for index in channels.indices { channels[index].reset() }
      measured = 0
    }
    return report(recorded)
  }

  /// Takes frames of the recording itself into account, which may have been heard earlier.
  mutating func count(recorded buffer: AudioBuffer) {
    guard clipping.mayBeLoud(buffer) else { return }
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

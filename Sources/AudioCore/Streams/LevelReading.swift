/// How loud a stretch of the time-line was, together and channel by channel.
public struct LevelReading: Hashable, Sendable {
  /// The index of the first frame of the stretch.
  public var firstFrame: FrameCount
  /// The length of the stretch.
  public var frameCount: FrameCount
  /// The level over all channels.
  public var level: AudioLevel
  /// The level of each channel, in the order of the buffer.
  public var channels: [AudioLevel]

  /// Describes a stretch.
  public init(
    firstFrame: FrameCount, frameCount: FrameCount, level: AudioLevel, channels: [AudioLevel]
  ) {
    (self.firstFrame, self.frameCount) = (firstFrame, frameCount)
    (self.level, self.channels) = (level, channels)
  }

  /// The index of the frame after the stretch.
  public var endFrame: FrameCount { firstFrame + frameCount }
}

/// A buffer together with how loud it is.
public struct MeteredAudio: Equatable, Sendable {
  /// The buffer, untouched.
  public var buffer: AudioBuffer
  /// Its level.
  public var reading: LevelReading

  /// Measures a buffer.
  public init(_ buffer: AudioBuffer) {
    var meter = ReadingMeter(buffer)
    meter.add(buffer)
    self.buffer = buffer
    reading = meter.reading
  }
}

/// Sums up the samples of one stretch.
struct ReadingMeter: Sendable {
  let format: AudioFormat
  let firstFrame: FrameCount
  private(set) var frameCount: FrameCount = 0
  private var whole = AudioMeter()
  private var channels: [AudioMeter]

  /// A meter for a stretch that begins with this frame of the buffer, which is not added yet.
  init(_ buffer: AudioBuffer, from frame: FrameCount = 0) {
    (format, firstFrame) = (buffer.format, buffer.firstFrame + frame)
    channels = Array(repeating: AudioMeter(), count: format.channelCount)
  }

  mutating func add(_ buffer: AudioBuffer) {
    frameCount += buffer.frameCount
    whole.add(buffer.samples)
    guard channels.count > 1 else { return }
    for index in channels.indices { channels[index].add(buffer.channel(index)) }
  }

  var reading: LevelReading {
    LevelReading(
      firstFrame: firstFrame, frameCount: frameCount, level: whole.level,
      channels: channels.count > 1 ? channels.map(\.level) : [whole.level])
  }
}

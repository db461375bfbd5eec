/// Reports the level of audio at regular intervals without keeping the audio.
public struct LevelMeter: AudioProcessor, Sendable {
  private let interval: Duration
  private var continuity = Continuity()
  private var meter: ReadingMeter?

  /// Creates a meter that reports a level for every `interval`, which must be above 0.
  public init(every interval: Duration) {
    precondition(interval > .zero, "levels come at intervals above 0, not \(interval.inSeconds) s")
    self.interval = interval
  }

  /// Returns the levels of the completed intervals.
  public mutating func process(_ buffer: AudioBuffer) -> [LevelReading] {
    guard !buffer.isEmpty else { return [] }
    var readings = continuity.note(buffer).isBreak ? flush() : []
    let length = max(1, FrameCount(interval, at: buffer.format.sampleRate))
    var position: FrameCount = 0
    while position < buffer.frameCount {
      var current = meter ?? ReadingMeter(buffer, from: position)
      let end = min(position + length - current.frameCount, buffer.frameCount)
      let isWhole = position == 0 && end == buffer.frameCount
      current.add(isWhole ? buffer : buffer.frames(position..<end))
      position = end
      meter = current
      if current.frameCount == length { readings += flush() }
    }
    return readings
  }

  /// Returns the level of the incomplete interval.
  public mutating func flush() -> [LevelReading] {
    guard let meter = meter.take() else { return [] }
    return [meter.reading]
  }
}

/// The level of a range of the timeline, overall and for each channel.
public struct LevelReading: Hashable, Sendable {
  /// The index of the first frame of the range.
  public var firstFrame: FrameCount
  /// The number of frames in the range.
  public var frameCount: FrameCount
  /// The level over all channels.
  public var level: AudioLevel
  /// The level of each channel, in the order of the buffer.
  public var channels: [AudioLevel]

  /// Creates a reading.
  public init(
    firstFrame: FrameCount, frameCount: FrameCount, level: AudioLevel, channels: [AudioLevel]
  ) {
    (self.firstFrame, self.frameCount) = (firstFrame, frameCount)
    (self.level, self.channels) = (level, channels)
  }

  /// The index of the frame after the range.
  public var endFrame: FrameCount { firstFrame + frameCount }
}

/// A buffer with its level.
public struct MeteredAudio: Equatable, Sendable {
  /// The unchanged buffer.
  public var buffer: AudioBuffer
  /// The level of the buffer.
  public var reading: LevelReading

  /// Measures a buffer.
  public init(_ buffer: AudioBuffer) {
    var meter = ReadingMeter(buffer)
    meter.add(buffer)
    self.buffer = buffer
    reading = meter.reading
  }
}

/// Accumulates the samples of one range.
private struct ReadingMeter: Sendable {
  let format: AudioFormat
  let firstFrame: FrameCount
  private(set) var frameCount: FrameCount = 0
  private var whole = AudioMeter()
  private var channels: [AudioMeter]

  /// Creates a meter for a range that begins with this frame of the buffer, which is not yet added.
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

extension AsyncSequence where Element == AudioBuffer {
  /// Reports the level of the audio for every `interval`.
  ///
  /// Intervals are counted in frames from the first one. The last reading, and the one before a gap
  /// or a change of format, are shorter, so no reading spans missing frames.
  public func levels(
    every interval: Duration = .milliseconds(100)
  ) -> ProcessedAudio<Self, LevelMeter, Failure> {
    processed(by: LevelMeter(every: interval))
  }

  /// Yields every buffer unchanged, together with its level.
  public func metered() -> AsyncMapSequence<Self, MeteredAudio> {
    map { MeteredAudio($0) }
  }
}

/// Reports the level of audio at regular intervals without keeping the audio.
public struct LevelMeter: AudioProcessor, Sendable {
  private let interval: Duration
  private var continuity = ContinuityChecker()
  /// The meters of the incomplete interval; empty if no interval has begun.
  private var meters: [AudioMeter] = []
  private var firstFrame: FrameCount = 0
  private var frameCount: FrameCount = 0

  /// Creates a meter that reports a level for every `interval`, which must be above 0.
  public init(every interval: Duration) {
    precondition(interval > .zero, "levels come at intervals above 0, not \(interval.inSeconds) s")
    self.interval = interval
  }

  /// Returns the levels of the completed intervals.
  public mutating func process(_ buffer: AudioBuffer) -> [LevelReading] {
    guard !buffer.isEmpty else { return [] }
    var readings = continuity.check(buffer).isBreak ? flush() : []
    let length = max(1, FrameCount(interval, at: buffer.format.sampleRate))
    var position: FrameCount = 0
    while position < buffer.frameCount {
      if meters.isEmpty {
        meters = AudioMeter.meters(for: buffer.format)
        (firstFrame, frameCount) = (buffer.firstFrame + position, 0)
      }
      let end = min(position + length - frameCount, buffer.frameCount)
      let isWhole = position == 0 && end == buffer.frameCount
      meters.add(isWhole ? buffer : buffer.frames(position..<end))
      frameCount += end - position
      position = end
      if frameCount == length { readings += flush() }
    }
    return readings
  }

  /// Returns the level of the incomplete interval.
  public mutating func flush() -> [LevelReading] {
    guard !meters.isEmpty else { return [] }
    defer { meters = [] }
    return [LevelReading(firstFrame: firstFrame, frameCount: frameCount, meters)]
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
public struct MeteredAudio: AudioBlock, Equatable, Sendable {
  /// The unchanged buffer.
  public var buffer: AudioBuffer
  /// The level of the buffer.
  public var reading: LevelReading

  /// Measures a buffer.
  public init(_ buffer: AudioBuffer) {
    var meters = AudioMeter.meters(for: buffer.format)
    meters.add(buffer)
    self.buffer = buffer
    reading = LevelReading(firstFrame: buffer.firstFrame, frameCount: buffer.frameCount, meters)
  }
}

extension AudioMeter {
  /// Returns a meter for all samples and, if there are several channels, a meter for each channel.
  fileprivate static func meters(for format: AudioFormat) -> [AudioMeter] {
    Array(repeating: AudioMeter(), count: format.channelCount > 1 ? format.channelCount + 1 : 1)
  }
}

extension [AudioMeter] {
  fileprivate mutating func add(_ buffer: AudioBuffer) {
    self[0].add(buffer.samples)
    for index in indices.dropFirst() { self[index].add(buffer.channel(index - 1)) }
  }
}

extension LevelReading {
  fileprivate init(firstFrame: FrameCount, frameCount: FrameCount, _ meters: [AudioMeter]) {
    let channels = meters.count > 1 ? meters.dropFirst() : meters[...]
    self.init(
      firstFrame: firstFrame, frameCount: frameCount, level: meters[0].level,
      channels: channels.map(\.level))
  }
}

extension AsyncSequence where Element: AudioBlock {
  /// Reports the level of the audio for every `interval`.
  ///
  /// Intervals are counted in frames from the first frame. The last reading, and the reading before
  /// a gap or a change of format, are shorter, so no reading spans missing frames.
  public func levels(
    every interval: Duration = .milliseconds(100)
  ) -> ProcessedAudio<Self, LevelMeter, Failure> {
    processed(by: LevelMeter(every: interval))
  }

  /// Yields every buffer unchanged, together with its level.
  ///
  /// An iterator that you create yourself retains its source until you release the iterator.
  public func metered() -> AsyncMapSequence<Self, MeteredAudio> {
    map { MeteredAudio($0.buffer) }
  }
}

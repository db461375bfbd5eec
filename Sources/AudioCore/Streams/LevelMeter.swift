/// Measures audio and tells at even intervals how loud it was; it keeps no audio.
public struct LevelMeter: AudioProcessor, Sendable {
  private let interval: Duration
  private var continuity = Continuity()
  private var meter: ReadingMeter?

  /// A machine that tells a level for every `interval`, which must be above 0.
  public init(every interval: Duration) {
    precondition(interval > .zero, "levels come at intervals above 0, not \(interval.inSeconds) s")
    self.interval = interval
  }

  /// Gives the levels of the intervals that are full.
  public mutating func take(_ buffer: AudioBuffer) -> [LevelReading] {
    guard !buffer.isEmpty else { return [] }
    var readings = continuity.note(buffer).isBreak ? finish() : []
    let length = max(1, FrameCount(interval, at: buffer.format.sampleRate))
    var position: FrameCount = 0
    while position < buffer.frameCount {
      var current = meter ?? ReadingMeter(buffer, from: position)
      let end = min(position + length - current.frameCount, buffer.frameCount)
      let isWhole = position == 0 && end == buffer.frameCount
      current.add(isWhole ? buffer : buffer.frames(position..<end))
      position = end
      meter = current
      if current.frameCount == length { readings += finish() }
    }
    return readings
  }

  /// Gives the level of the interval that is not full.
  public mutating func finish() -> [LevelReading] {
    guard let meter = meter.take() else { return [] }
    return [meter.reading]
  }
}

/// Puts to each buffer how loud it is.
public struct BufferMeter: AudioProcessor, Sendable {
  /// A machine; it remembers nothing.
  public init() {}

  /// Gives the buffer with its level.
  public mutating func take(_ buffer: AudioBuffer) -> [MeteredAudio] { [MeteredAudio(buffer)] }
}

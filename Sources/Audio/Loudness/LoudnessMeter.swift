public import AudioCore

/// Measures the loudness of audio while it passes and reports it at even intervals.
public struct LoudnessMeter: AudioProcessor {
  private let interval: Duration
  private let silence: Decibels
  private var levels: LevelMeter
  private var continuity = Continuity()
  private var measurer: AudioMeasurer?

  /// Creates a meter that reports once per interval.
  ///
  /// - Parameters:
  ///   - interval: the audio between two reports; above 0.
  ///   - silence: the level below which both ends count as silent.
  public init(every interval: Duration, silence: Decibels = Decibels(-60)) {
    (self.interval, self.silence) = (interval, silence)
    levels = LevelMeter(every: interval)
  }

  /// Gives a reading for each interval that is full.
  ///
  /// - Throws: `.formatChanged`, or `.unsupported` for the first buffer.
  public mutating func take(_ buffer: AudioBuffer) throws(LoudnessError) -> [LoudnessReading] {
    guard !buffer.isEmpty else { return [] }
    let measurer = try measurer(for: buffer.format)
    var buffer = buffer
    buffer.silencedSampleCount += buffer.silenceNonFinite()?.count ?? 0
    // A break completes the interval before this buffer is measured.
    var readings = continuity.note(buffer).isBreak ? finish() : []
    var position: FrameCount = 0
    for reading in levels.take(buffer) {
      let end = min(max(position, reading.endFrame - buffer.firstFrame), buffer.frameCount)
      try measurer.add(buffer.frames(position..<end))
      position = end
      readings.append(LoudnessReading(reading, measurer))
    }
    if position < buffer.frameCount {
      try measurer.add(buffer.frames(position..<buffer.frameCount))
    }
    return readings
  }

  private mutating func measurer(
    for format: AudioFormat
  ) throws(LoudnessError) -> AudioMeasurer {
    if let measurer { return measurer }
    let measurer = try AudioMeasurer(format, silence: silence)
    self.measurer = measurer
    return measurer
  }

  /// Gives a reading for the interval that is not full.
  public mutating func finish() -> [LoudnessReading] {
    guard let measurer else { return [] }
    return levels.finish().map { LoudnessReading($0, measurer) }
  }
}

/// The loudness at one moment of a stream, and the figures of all audio up to it.
public struct LoudnessReading: Hashable, Sendable {
  /// The levels of the interval.
  public var levels: LevelReading
  /// The loudness of the latest 0.4 s.
  public var momentary: LoudnessLevel
  /// The loudness of the latest 3 s.
  public var shortTerm: LoudnessLevel
  /// The figures of all audio so far.
  public var total: AudioMeasurement

  fileprivate init(_ levels: LevelReading, _ measurer: AudioMeasurer) {
    self.levels = levels
    (momentary, shortTerm) = (measurer.momentary, measurer.shortTerm)
    total = measurer.measurement
  }
}

extension AsyncSequence where Element == AudioBuffer {
  /// The loudness of the audio, reported for every `interval` of it.
  ///
  /// Each reading has the momentary and the short-term loudness at its end, the levels of its
  /// interval, and the figures of all audio so far. The last reading covers the rest. Gaps in the
  /// indices are not counted. For the figures of the whole alone, use `measured(silence:)`.
  ///
  /// - Parameters:
  ///   - interval: the audio between two readings; above 0.
  ///   - silence: the level below which both ends count as silent.
  /// - Throws: the errors of this sequence, and `LoudnessError`.
  public func loudness(
    every interval: Duration = .milliseconds(100), silence: Decibels = Decibels(-60)
  ) -> ThrowingProcessedAudio<Self, LoudnessMeter> {
    processed(by: LoudnessMeter(every: interval, silence: silence))
  }
}

public import AudioCore
import CEBUR128

/// Measures the loudness of a stream, and reports it at equal intervals.
public struct LoudnessMeter: AudioProcessor {
  private let interval: Duration
  private let silence: Decibels
  private var levels: LevelMeter
  private var continuity = ContinuityChecker()
  private var measurer: AudioMeasurer?

  /// Creates a meter that reports once per interval.
  ///
  /// - Parameters:
  ///   - interval: the duration of audio between two reports; above 0.
  ///   - silence: the level below which the beginning and the end count as silent.
  public init(every interval: Duration, silence: Decibels = Decibels(-60)) {
    (self.interval, self.silence) = (interval, silence)
    levels = LevelMeter(every: interval)
  }

  /// Returns a reading for each completed interval.
  ///
  /// - Throws: `.formatChanged`, or `.unsupported` for the first buffer.
  public mutating func process(_ buffer: AudioBuffer) throws(LoudnessError) -> [LoudnessReading] {
    guard !buffer.isEmpty else { return [] }
    let measurer = try measurer(for: buffer.format)
    var buffer = buffer
    buffer.silencedSampleCount += buffer.silenceNonFinite()?.count ?? 0
    // A gap ends the interval before this buffer is measured.
    var readings = continuity.check(buffer).isBreak ? flush() : []
    var position: FrameCount = 0
    for reading in levels.process(buffer) {
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

  /// Returns a reading for the incomplete interval.
  public mutating func flush() -> [LoudnessReading] {
    guard let measurer else { return [] }
    return levels.flush().map { LoudnessReading($0, measurer) }
  }
}

/// The loudness at one moment of a stream, and the measurement of all audio up to that moment.
public struct LoudnessReading: Hashable, Sendable {
  /// The levels of the interval.
  public var levels: LevelReading
  /// The loudness of the latest 0.4 s.
  public var momentary: LoudnessLevel
  /// The loudness of the latest 3 s.
  public var shortTerm: LoudnessLevel
  /// The measurement of all audio so far.
  public var total: AudioMeasurement

  fileprivate init(_ levels: LevelReading, _ measurer: AudioMeasurer) {
    self.levels = levels
    (momentary, shortTerm) = (measurer.momentary, measurer.shortTerm)
    total = measurer.measurement
  }
}

extension AsyncSequence where Element: AudioBlock {
  /// Reports the loudness of the audio once per `interval`.
  ///
  /// Each reading has the momentary and the short-term loudness at its end, the levels of its
  /// interval, and the measurement of all audio so far. The last reading covers the remaining
  /// audio. Gaps between the frame indices of buffers are not counted. For only the measurement of
  /// all audio, use `measured(silence:)`.
  ///
  /// - Parameters:
  ///   - interval: the duration of audio between two readings; above 0.
  ///   - silence: the level below which the beginning and the end count as silent.
  /// - Throws: the errors of this sequence, and `LoudnessError`.
  public func loudness(
    every interval: Duration = .milliseconds(100), silence: Decibels = Decibels(-60)
  ) -> ProcessedAudio<Self, LoudnessMeter, any Error> {
    processed(by: LoudnessMeter(every: interval, silence: silence))
  }
}

/// The owner of a libebur128 state.
struct EBUR128Handle: ~Copyable {
  private let state: UnsafeMutablePointer<ebur128_state>

  /// Creates a state that uses a histogram: memory does not grow, and the loudness range is rounded
  /// to 0.1 LU.
  ///
  /// The corresponding C functions are `ebur128_init` and `ebur128_set_channel`.
  init(_ format: AudioFormat) throws(LoudnessError) {
    let modes = [EBUR128_MODE_LRA, EBUR128_MODE_HISTOGRAM]
    let mode = modes.reduce(0) { $0 | Int32($1.rawValue) }
    let created = ebur128_init(
      UInt32(clamping: format.channelCount), UInt(format.sampleRate.hertz), mode)
    guard let created else { throw .unsupported(format) }
    state = created
    for (index, position) in format.layout.positions.enumerated() {
      ebur128_set_channel(state, UInt32(index), Int32(position.weight.rawValue))
    }
  }

  deinit {
    var state: UnsafeMutablePointer<ebur128_state>? = state
    ebur128_destroy(&state)
  }

  /// Adds whole frames of interleaved samples.
  ///
  /// The corresponding C function is `ebur128_add_frames_float`. The call fails only if memory runs
  /// out.
  func add(_ samples: UnsafeBufferPointer<Float>, frameCount: Int) {
    guard let first = samples.baseAddress else { return }
    ebur128_add_frames_float(state, first, frameCount)
  }

  /// The loudness of the latest 0.1 s.
  ///
  /// The corresponding C function is `ebur128_loudness_window`.
  var latest: LoudnessLevel {
    var lufs = -Double.infinity
    ebur128_loudness_window(state, 100, &lufs)
    return LoudnessLevel(lufs: lufs)
  }

  /// The loudness range in LU; 0 if there is none.
  ///
  /// The corresponding C function is `ebur128_loudness_range`.
  var range: Double {
    var range = 0.0
    ebur128_loudness_range(state, &range)
    return range
  }
}

extension ChannelPosition {
  /// The weight of the channel: BS.1770 adds 1.5 dB to surround channels and excludes the LFE.
  fileprivate var weight: CEBUR128.channel {
    switch self {
    case .mono, .frontCenter: EBUR128_CENTER
    case .frontLeft: EBUR128_LEFT
    case .frontRight: EBUR128_RIGHT
    case .rearLeft: EBUR128_LEFT_SURROUND
    case .rearRight: EBUR128_RIGHT_SURROUND
    case .sideLeft: EBUR128_Mp090
    case .sideRight: EBUR128_Mm090
    case .rearCenter: EBUR128_Mp180
    case .lowFrequency, .silent: EBUR128_UNUSED
    case .unknown: EBUR128_CENTER
    }
  }
}

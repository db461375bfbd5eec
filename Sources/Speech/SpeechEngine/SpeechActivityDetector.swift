public import AudioCore
public import ClientDependencies

/// A voice activity detector that the speech client uses to find utterances, with any engine.
public struct SpeechActivityDetector: Sendable {
  /// A short name, such as `energy`.
  public var name: String

  /// Creates the session for a stream.
  ///
  /// It returns at once; anything slow is loaded at the first frame.
  public var makeSession: @Sendable () -> any SpeechActivitySession

  /// Whether the detector can be used, and the location of its model; the model's language is
  /// `und`.
  ///
  /// The call may load a library, but no model.
  public var availability: @Sendable () -> SpeechEngineAvailability

  /// Creates a detector; by default, `availability` is always ready, for a detector without a
  /// model.
  public init(
    name: String,
    availability: @escaping @Sendable () -> SpeechEngineAvailability = {
      .ready(SpeechModel(language: "und", location: ""))
    },
    makeSession: @escaping @Sendable () -> any SpeechActivitySession
  ) {
    self.name = name
    self.availability = availability
    self.makeSession = makeSession
  }
}

/// A session of a detector for one stream.
///
/// It is deterministic: the same frames produce the same probabilities.
///
/// Thread safety: none. One thread at a time uses it.
public protocol SpeechActivitySession: AnyObject {
  /// The length of a frame, in samples at 16 kHz.
  var frameLength: FrameCount { get }

  /// Processes the next frame: 16 kHz, mono, full scale ±1; NaN and infinity are silence.
  ///
  /// - Returns: the available probabilities of speech, 0…1, one for each frame, in order; a frame
  ///   may have to wait for later frames. Speech begins at 0.5 and continues down to 0.35.
  /// - Throws: `SpeechEngineError` if the detector cannot be loaded, or fails.
  func process(_ frame: ArraySlice<Float>) throws(SpeechEngineError) -> [Double]

  /// Returns the probabilities of the waiting frames at the end of the audio or at a gap.
  ///
  /// The next frame begins a new stretch of audio; the detector may keep what it has learned about
  /// the room.
  func flush() -> [Double]
}

extension SpeechActivityDetector: DependencyKey {
  /// The energy detector.
  public static var liveValue: SpeechActivityDetector { .energy }
  /// The energy detector, whose results depend only on the audio.
  public static var testValue: SpeechActivityDetector { .energy }
}

extension DependencyValues {
  /// The detector that the speech client uses to find utterances; by default, the energy detector.
  public var speechActivityDetector: SpeechActivityDetector {
    get { self[SpeechActivityDetector.self] }
    set { self[SpeechActivityDetector.self] = newValue }
  }
}

extension SpeechActivityDetector {
  /// Separates speech from background by the level between 120 Hz and 3 kHz, 10 ms at a time,
  /// without a model.
  public static let energy = SpeechActivityDetector(name: "energy") { EnergyDetector() }
}

/// Separates speech from background by the level in the frequency band of speech.
///
/// Background and speech are percentiles of the levels of the last six seconds, averaged over 50
/// ms, so a drifting noise level is tracked, and a single quiet frame does not matter. A sound that
/// stays equally loud for two seconds becomes background at once, because speech never stays
/// equally loud. The threshold lies between the levels of background and speech: far above a quiet
/// background, and just above a loud background.
final class EnergyDetector: SpeechActivitySession {
  /// If nine tenths of the levels are within a range of this number of decibels, the sound is
  /// steady.
  private static let steadiness = 3.0
  /// The number of frames to measure before the first decision, because a stream may begin within
  /// speech.
  private static let warmUp = 100

  /// The threshold as a fraction of the distance in decibels from background to speech.
  private static let threshold = 0.35
  /// The smallest and largest distance of the threshold from the background, in decibels.
  private static let thresholds = 5.0...20.0
  /// The threshold is multiplied by this factor within an utterance, so that quiet sounds do not
  /// end the utterance.
  private static let hysteresis = 0.6
  /// The highest probability that the detector reports, because a level alone does not prove
  /// speech.
  private static let highestProbability = 0.75
  /// The minimum background level in dBFS, so that dither in digital silence is not speech.
  private static let lowestBackground = -85.0

  let frameLength = FrameCount(.milliseconds(10), at: .speech)

  private var band = SpeechBand()
  private var history = LevelHistory(window: 600)
  private var recent = LevelHistory(window: 200)
  /// The powers of the last 50 ms, the newest last.
  private var powers: [Double] = []
  /// The levels of the frames that have not been judged.
  private var levels: [Double] = []

  func process(_ frame: ArraySlice<Float>) -> [Double] {
    levels.append(measure(frame))
    return history.count >= Self.warmUp ? judge() : []
  }

  func flush() -> [Double] {
    (band, powers) = (SpeechBand(), [])
    return judge()
  }

  /// Measures the level of the next frame in the frequency band of speech, in dBFS; at least -100.
  private func measure(_ samples: ArraySlice<Float>) -> Double {
    let energy = samples.reduce(into: 0.0) { sum, sample in
      let inBand = band.pass(sample.isFinite ? Double(min(max(sample, -1), 1)) : 0)
      sum += inBand * inBand
    }
    let power = energy / Double(max(1, samples.count))
    powers = powers.suffix(4) + [power]
    note(Self.level(powers[...]))
    // Averaging with the previous frame lowers random peaks of noise, but prolongs sounds. The
    // result is therefore the lower of the average and this frame's level.
    return min(Self.level([power]), Self.level(powers.suffix(2)))
  }

  private func note(_ level: Double) {
    history.add(level)
    recent.add(level)
    let steady = recent.percentile(5)
    if recent.isFull, recent.percentile(95) - steady <= Self.steadiness,
      steady - history.percentile(5) > Self.steadiness
    {
      history = recent.widened(to: history.window)
    }
  }

  private static func level(_ powers: ArraySlice<Double>) -> Double {
    let mean = powers.reduce(0, +) / Double(powers.count)
    return max(Decibels(amplitude: mean.squareRoot()).value, LevelHistory.lowest)
  }

  /// Returns the probabilities of the waiting frames, by comparing their levels with the history.
  private func judge() -> [Double] {
    let background = max(history.percentile(5), Self.lowestBackground)
    let distance = (history.percentile(95) - background) * Self.threshold
    let threshold = min(max(distance, Self.thresholds.lowerBound), Self.thresholds.upperBound)
    defer { levels = [] }
    return levels.map { level in
      // At the threshold, the probability is 0.5. Within an utterance, a lower threshold applies
      // (`hysteresis`); there, the probability is 0.35.
      let excess = (level - background) / threshold - 1
      return min(max(0.5 + excess * 0.15 / (1 - Self.hysteresis), 0), Self.highestProbability)
    }
  }
}

/// A filter for the band in which speech is loud, 120 Hz to 3 kHz; it removes rumble and the DC
/// offset.
private struct SpeechBand {
  // Two filters in series, so that the power below the band falls by 12 dB per octave, faster than
  // brown noise rises toward low frequencies.
  private static let rumble = 0.046_03
  private static let hiss = 0.692_13

  /// The last outputs of the three low-pass filters, in order.
  private var last: (Double?, Double?, Double?) = (nil, nil, nil)

  mutating func pass(_ sample: Double) -> Double {
    let once = sample - Self.lowPass(sample, Self.rumble, &last.0)
    let twice = once - Self.lowPass(once, Self.rumble, &last.1)
    return Self.lowPass(twice, Self.hiss, &last.2)
  }

  /// Applies a low-pass filter of the first order.
  ///
  /// `share` is 1 - exp(-2π · corner / rate). `last` is the previous output; it is nil to begin at
  /// the first sample, so that an offset causes no click.
  private static func lowPass(_ sample: Double, _ share: Double, _ last: inout Double?) -> Double {
    let before = last ?? sample
    let next = before + share * (sample - before)
    last = next
    return next
  }
}

/// The levels of the last `window` frames, with a count of each level in steps of half a decibel.
private struct LevelHistory {
  /// The lowest level in dBFS, to which lower levels are raised.
  ///
  /// The highest level is full scale.
  static let lowest = -100.0
  private static let stepsPerDecibel = 2.0

  let window: Int
  private static let lastStep = Int(clamping: -lowest * stepsPerDecibel)
  private var counts = [Int](repeating: 0, count: lastStep + 1)
  /// The levels; the newest level overwrites the oldest.
  private var levels: [Float] = []
  private var oldest = 0

  /// - Parameter window: the maximum number of levels.
  init(window: Int) {
    self.window = window
  }

  /// The number of levels.
  var count: Int { levels.count }

  var isFull: Bool { levels.count == window }

  /// Returns a longer history that begins with the same levels.
  func widened(to window: Int) -> LevelHistory {
    var wide = LevelHistory(window: window)
    for index in levels.indices { wide.add(Double(levels[(oldest + index) % levels.count])) }
    return wide
  }

  mutating func add(_ level: Double) {
    let level = Float(level)
    counts[Self.step(of: level)] += 1
    guard levels.count == window else { return levels.append(level) }
    counts[Self.step(of: levels[oldest])] -= 1
    levels[oldest] = level
    oldest = (oldest + 1) % window
  }

  private static func step(of level: Float) -> Int {
    let step = Int(clamping: ((Double(level) - lowest) * stepsPerDecibel).rounded(.down))
    return min(max(step, 0), lastStep)
  }

  /// Returns the level at this percentile; `lowest` if there are no levels.
  func percentile(_ percent: Int) -> Double {
    var below = levels.count * percent / 100
    for step in counts.indices {
      guard below >= counts[step] else { return Self.lowest + Double(step) / Self.stepsPerDecibel }
      below -= counts[step]
    }
    return Self.lowest
  }
}

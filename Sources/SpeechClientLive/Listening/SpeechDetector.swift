import AudioCore

/// Separates speech from background, 10 ms at a time, by its level in the band of speech.
///
/// Background and speech are percentiles of the level of the last six seconds, averaged over 50 ms,
/// so that noise may wander and a single quiet frame says nothing. Speech begins between them: in little noise far
/// above it, in loud noise just above it.
struct SpeechDetector {
  /// How many samples are judged at a time: 10 ms.
  static let frameLength = FrameCount(.milliseconds(10), at: .speech)

  /// How much is measured before anything is judged, so that a stream may begin within speech.
  static let warmUp = 100

  /// Speech begins at this part of the way from background to speech, in decibels.
  private static let threshold = 0.35
  /// That is at least and at most so far above the background.
  private static let thresholds = 5.0...20.0
  /// How much lower the threshold is within an utterance, so that quiet sounds do not end it.
  private static let hysteresis = 0.6
  /// A background that is lower than this counts as this, so that dither above digital silence is
  /// not speech.
  private static let lowestBackground = -85.0

  private var band = SpeechBand()
  private var history = LevelHistory(window: 600)
  /// The powers of the last 50 ms, the newest last.
  private var powers: [Double] = []

  /// Whether enough was measured for a judgement.
  var isWarm: Bool { history.count >= Self.warmUp }

  /// Measures the next frame in the band of speech; in dBFS, at least -100.
  mutating func measure(_ samples: ArraySlice<Float>) -> Double {
    let energy = samples.reduce(into: 0.0) { sum, sample in
      let inBand = band.pass(Double(sample))
      sum += inBand * inBand
    }
    let power = energy / Double(max(1, samples.count))
    powers = powers.suffix(4) + [power]
    history.add(Self.level(powers[...]))
    // A peak in so few cycles of noise is lower with the frame before it; a sound ends where it did.
    return min(Self.level([power]), Self.level(powers.suffix(2)))
  }

  private static func level(_ powers: ArraySlice<Double>) -> Double {
    let mean = powers.reduce(0, +) / Double(powers.count)
    return max(Decibels(amplitude: mean.squareRoot()).dBFS, LevelHistory.lowest)
  }

  /// Judges a frame by its level, against all that was measured so far.
  func isSpeech(_ level: Double, inUtterance: Bool) -> Bool {
    let background = max(history.percentile(5), Self.lowestBackground)
    let distance = (history.percentile(95) - background) * Self.threshold
    let threshold = min(max(distance, Self.thresholds.lowerBound), Self.thresholds.upperBound)
    return level > background + threshold * (inUtterance ? Self.hysteresis : 1)
  }
}

/// Passes what is loud in speech: 120 Hz to 3 kHz, without the rumble and the offset below it.
private struct SpeechBand {
  /// A low-pass of the first order.
  private struct LowPass {
    /// 1 - exp(-2π · corner / rate).
    let share: Double
    /// Begins at the first sample, so that an offset makes no click.
    private var state: Double?

    init(share: Double) {
      self.share = share
    }

    mutating func pass(_ sample: Double) -> Double {
      let last = state ?? sample
      let next = last + share * (sample - last)
      state = next
      return next
    }
  }

  // Twice the same: power falls by 12 dB per octave below it, faster than that of brown noise grows.
  private var rumble = (LowPass(share: 0.046_03), LowPass(share: 0.046_03))
  private var hiss = LowPass(share: 0.692_13)

  mutating func pass(_ sample: Double) -> Double {
    let once = sample - rumble.0.pass(sample)
    let twice = once - rumble.1.pass(once)
    return hiss.pass(twice)
  }
}

/// The levels of the last so many frames, as counts of half a decibel each.
private struct LevelHistory {
  /// Lower levels count as this, in dBFS; full scale is the highest.
  static let lowest = -100.0
  private static let stepsPerDecibel = 2.0

  private let window: Int
  private var counts = [Int](repeating: 0, count: Int(-lowest * stepsPerDecibel) + 1)
  /// The newest is written over the oldest.
  private var levels: [Float] = []
  private var oldest = 0

  /// - Parameter window: how many levels count.
  init(window: Int) {
    self.window = window
  }

  /// How many levels there are.
  var count: Int { levels.count }

  mutating func add(_ level: Double) {
    let level = Float(level)
    counts[Self.step(of: level)] += 1
    guard levels.count == window else { return levels.append(level) }
    counts[Self.step(of: levels[oldest])] -= 1
    levels[oldest] = level
    oldest = (oldest + 1) % window
  }

  private static func step(of level: Float) -> Int {
    Int((min(max(Double(level), lowest), 0) - lowest) * stepsPerDecibel)
  }

  /// The level that so many of a hundred are below; the lowest where there are none.
  func percentile(_ percent: Int) -> Double {
    var below = levels.count * percent / 100
    for (step, count) in counts.enumerated() {
      guard below >= count else { return Self.lowest + Double(step) / Self.stepsPerDecibel }
      below -= count
    }
    return Self.lowest
  }
}

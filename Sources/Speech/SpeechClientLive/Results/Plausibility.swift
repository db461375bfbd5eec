import AudioCore
import SpeechEngine

/// Determines whether the words of an utterance can be speech: engines find words in noise and
/// music, too.
struct Plausibility {
  /// If the detector's probability of speech reaches this value, the words are always accepted.
  ///
  /// Measured with Silero: each utterance of 87 recordings reaches 0.98, or 0.96 at a quarter of
  /// the level or in a narrow band. Plucked strings reach 0.92; all other synthesized noises stay
  /// below 0.75.
  static let sureCertainty = 0.95
  /// If the confidence of every word is lower, the engine mistook noise for speech.
  static let leastConfidence = 0.03
  /// The lowest acceptable probability of a short text, and of a longer text.
  static let leastProbability = (
    short: SpeechHypothesis.doubtfulProbability, long: SpeechHypothesis.leastProbability
  )
  /// The minimum confidence of an accepted word in a longer text that is too improbable as a whole.
  static let leastWordConfidence = 0.4
  /// The maximum number of words in a short text.
  static let shortCount = 3
  /// The maximum length of a plausible word, unless the sound is voiced.
  static let longestWord = FrameCount(.seconds(2), at: .speech)
  /// The words must cover at least 1 / `leastShare` of the sound.
  static let leastShare = 25
  /// The words of plausible length must make up at least 1 / `leastShortShare` of the total length
  /// of all words.
  static let leastShortShare = 10
  /// A word shorter than this length is not speech, unless it has at least this confidence.
  static let shortestWord = (length: FrameCount(.milliseconds(60), at: .speech), confidence: 0.3)

  /// Whether the sound is voiced.
  var isVoiced: Bool
  /// The length of the sound.
  var sound: FrameCount
  /// The detector's highest probability of speech in the sound.
  var certainty = 0.0
  /// The number of words of the whole text, which may be divided into several results.
  var textLength = 0

  /// Whether any of the words may be speech.
  ///
  /// A short text is judged as a whole, a longer text word by word. A text without a probability is
  /// judged by the confidences and the lengths of its words; estimated lengths are ignored.
  func isSpeech(_ hypothesis: SpeechHypothesis) -> Bool {
    let words = hypothesis.words
    guard !words.isEmpty else { return false }
    if certainty >= Self.sureCertainty { return true }
    guard let probability = hypothesis.probability else {
      return words.contains { $0.confidence.map { $0 >= Self.leastConfidence } ?? true }
        && (hypothesis.hasEstimatedTimes || haveLikelyLengths(words))
    }
    if isShort(hypothesis) { return probability >= Self.leastProbability.short }
    // In an improbable text, a word without a confidence is never probable.
    return words.contains { word in
      isSpoken(word, in: hypothesis)
        && (probability >= Self.leastProbability.long || word.confidence != nil)
    }
  }

  private func isShort(_ hypothesis: SpeechHypothesis) -> Bool {
    max(hypothesis.words.count, textLength) <= Self.shortCount
  }

  /// Whether the words of a partial hypothesis may become stable.
  ///
  /// They must be speech according to `isSpeech`. If the engine reports no confidence, the sound
  /// must also be voiced.
  func maySettle(_ hypothesis: SpeechHypothesis) -> Bool {
    let isRated = hypothesis.words.allSatisfy { $0.confidence != nil }
    return (isVoiced || isRated) && isSpeech(hypothesis)
  }

  /// Whether a word is long enough to have been spoken and, if the whole text is improbable, has a
  /// high enough confidence of its own.
  func isSpoken(_ word: SpeechHypothesis.Word, in hypothesis: SpeechHypothesis) -> Bool {
    let confidence = word.confidence ?? 1
    let isImprobable =
      !isShort(hypothesis)
      && hypothesis.probability.map { $0 < Self.leastProbability.long } ?? false
    if isImprobable, confidence < Self.leastWordConfidence { return false }
    return hypothesis.hasEstimatedTimes || word.length >= Self.shortestWord.length
      || confidence >= Self.shortestWord.confidence
  }

  private func haveLikelyLengths(_ words: [SpeechHypothesis.Word]) -> Bool {
    let length = words.reduce(0) { $0 + $1.length.rawValue }
    let short = words.filter { $0.length < Self.longestWord }
    let shortLength = short.reduce(0) { $0 + $1.length.rawValue }
    let isShort = !short.isEmpty && shortLength * Self.leastShortShare >= length
    return (isShort || isVoiced) && length * Self.leastShare >= sound.rawValue
  }
}

extension SpeechHypothesis.Word {
  fileprivate var length: FrameCount { frames.upperBound - frames.lowerBound }
}

/// Determines by autocorrelation whether a sound has the periods of a voice, 80 to 400 a second.
struct VoicingMeter {
  /// The minimum correlation of two consecutive periods of a voice.
  ///
  /// The correlation is 1 if the second period repeats the first, and about 0 for noise.
  static let likeness: Float = 0.75
  /// The number of samples between two measurements: 50 ms.
  ///
  /// Each measurement covers the last 40 ms.
  private static let step = 800
  private static let window = 640
  /// The number of samples that are averaged into one, because frequencies above 2 kHz do not
  /// matter here.
  private static let thinning = 4
  private static let lags = 10...50
  /// A measurement is a pause if its power is more than 40 dB below that of the loudest
  /// measurement.
  private static let quietest: Float = 1e-4

  private var pending: [Float] = []
  private var looks: [(power: Float, isVoiced: Bool)] = []

  /// Whether at least half of the sound is voiced.
  var isVoiced: Bool {
    let least = (looks.lazy.map(\.power).max() ?? 0) * Self.quietest
    let sounding = looks.count { $0.power > least }
    let voiced = looks.count { $0.power > least && $0.isVoiced }
    return sounding > 0 && voiced * 2 >= sounding
  }

  /// Adds the next samples at 16 kHz.
  mutating func add(_ samples: [Float]) {
    pending += samples
    while pending.count >= Self.step {
      look(at: Self.centered(Self.thinned(pending[(Self.step - Self.window)..<Self.step])))
      pending.removeFirst(Self.step)
    }
  }

  private mutating func look(at window: [Float]) {
    // `energies[n]` is the energy of the first n samples.
    var energies = [0.0]
    for sample in window { energies.append(energies[energies.count - 1] + Double(sample * sample)) }
    let energy = energies[window.count]
    let isVoiced = Self.lags.contains { lag in
      let power = energies[window.count - lag] * (energy - energies[lag])
      let product = (lag..<window.count).reduce(Float(0)) { $0 + window[$1] * window[$1 - lag] }
      return power > 0 && Double(product) >= Double(Self.likeness) * power.squareRoot()
    }
    looks.append((Float(energy) / Float(window.count), isVoiced))
  }

  private static func thinned(_ samples: ArraySlice<Float>) -> [Float] {
    stride(from: samples.startIndex, to: samples.endIndex, by: thinning).map { begin in
      samples[begin..<(begin + thinning)].reduce(0, +) / Float(thinning)
    }
  }

  /// Returns the window without its DC offset, which would correlate at every lag.
  private static func centered(_ window: [Float]) -> [Float] {
    let mean = window.reduce(0, +) / Float(window.count)
    return window.map { $0 - mean }
  }
}

import Glibc

/// How likely the tokens of a text must be for it to count as speech: models also invent texts for
/// noise, but with low probabilities.
struct TextPlausibility {
  /// The lowest acceptable mean of the logarithms of the probabilities.
  let mean: Float
  /// The lowest acceptable logarithm of one probability.
  let least: Float

  /// The limits for free text.
  ///
  /// Measured on 14 recordings, clean and in white noise down to -3 dB: texts with at least one right
  /// word have a geometric mean of at least 0.37; most recordings played backwards have a lower one.
  static let ofTexts = TextPlausibility(mean: log(0.35), least: log(0.01))

  /// The limits for a sentence of a grammar, which can be the best of bad choices.
  ///
  /// Measured on 14 recordings: the five that are sentences of the grammar have a mean of at least -1.0
  /// and tokens of at least -5.3; the others have a mean of at most -3.9 and tokens of at most -8.1.
  static let ofSentences = TextPlausibility(mean: -2.5, least: -7.5)

  /// The lowest probability of an immediate end at which an utterance has no words.
  ///
  /// It is 0.89 to 1 in silence and noise, and up to 0.7 in noisy words that lack their beginning.
  static let nothing: Float = log(0.8)

  func allow(_ logProbabilities: [Float]) -> Bool {
    guard let lowest = logProbabilities.min() else { return false }
    return lowest >= least
      && logProbabilities.reduce(0, +) / Float(logProbabilities.count) >= mean
  }
}

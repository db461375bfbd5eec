import Glibc

/// How likely the tokens of a text have to be for somebody to have said it: models make up texts of
/// noise as well, but are not sure of them.
struct Plausibility {
  /// The least mean of the logarithms of the probabilities.
  let mean: Float
  /// The least of the logarithms.
  let least: Float

  /// Of a text of any words.
  ///
  /// Of 14 recordings, clean and in white noise down to -3 dB, texts with at least one right word have
  /// a (geometric) mean of 0.37 at least; of recordings that are played backwards most have less.
  static let ofTexts = Plausibility(mean: log(0.35), least: log(0.01))

  /// Of a sentence of a grammar, which may be the best of bad choices.
  ///
  /// Of 14 recordings, the five that are sentences of the grammar have a mean of -1.0 and tokens of -5.3
  /// at least, the others a mean of -3.9 and tokens of -8.1 at most.
  static let ofSentences = Plausibility(mean: -2.5, least: -7.5)

  /// How sure the model has to be that nothing was said.
  ///
  /// In silence and noises the probability is 0.89 to 1, in noisy words without a beginning up to 0.7.
  static let nothing: Float = log(0.8)

  func allow(_ logProbabilities: [Float]) -> Bool {
    guard let lowest = logProbabilities.min() else { return false }
    return lowest >= least
      && logProbabilities.reduce(0, +) / Float(logProbabilities.count) >= mean
  }
}

import AudioCore
import SpeechEngine

/// The limits for the length of a text: models can invent words endlessly or repeat themselves.
struct TextLimits {
  /// The fastest speech, in tokens per second.
  static let rate = 6.5
  /// The fastest speech in languages whose words the tokenizer splits into small pieces.
  static let rateInPieces = 13.0
  /// The limit for short commands.
  static let floor = 10
  /// The number of repeated tokens that ends the text; "never, never, never, never" repeats six.
  private static let circle = 24
  /// The greatest number of tokens.
  let tokenCount: Int

  init(of length: FrameCount, language: String) {
    let rate =
      language.lowercased().hasPrefix("en") || language == LanguageTag.unknown
      ? Self.rate : Self.rateInPieces
    let seconds = Double(length.rawValue) / Double(SampleRate.speech.hertz)
    tokenCount = max(Self.floor, Int(clamping: (seconds * rate).rounded(.up)))
  }

  /// Whether a text repeats itself or is too long.
  ///
  /// - Parameter tokens: values that are equal if the tokens are.
  func areReached(by tokens: [some Equatable]) -> Bool {
    tokens.count >= tokenCount || Self.repetition(in: tokens, atMost: 8) >= Self.circle
  }

  /// The number of tokens at the end of a text over the limits that repeat those before them.
  func excess(of tokens: [some Equatable]) -> Int {
    Self.repetition(in: tokens, atMost: tokens.count / 2)
  }

  /// The longest repetition at the end: the number of last tokens that equal the tokens `length`
  /// earlier, for the best `length`; 0 if that is less than one period.
  private static func repetition(in tokens: [some Equatable], atMost longest: Int) -> Int {
    (1...max(1, longest)).map { length in
      let pairs = zip(tokens.reversed(), tokens.dropLast(length).reversed())
      let count = pairs.prefix { $0 == $1 }.count
      return count >= length ? count : 0
    }.max() ?? 0
  }
}

extension DecodedText {
  /// Whether the text is a sentence of its grammar and not only the best of bad choices.
  ///
  /// Measured on 14 recordings: the five that are sentences of the grammar have a mean of at least -1.0
  /// and tokens of at least -5.3; the others have a mean of at most -3.9 and tokens of at most -8.1.
  var isSentence: Bool {
    guard let lowest = logProbabilities.min() else { return false }
    return lowest >= -7.5
      && logProbabilities.reduce(0, +) / Float(logProbabilities.count) >= -2.5
  }
}

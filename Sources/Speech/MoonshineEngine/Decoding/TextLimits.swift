import AudioCore
import SpeechEngine

/// The limits for the length and the repetitions of a text, because a model can invent words
/// endlessly or repeat itself.
struct TextLimits {
  /// The fastest speech, in tokens per second.
  static let rate = 6.5
  /// The fastest speech, in tokens per second, in languages whose words the tokenizer splits into
  /// small pieces.
  static let rateInPieces = 13.0
  /// The minimum value of `tokenCount`, for short commands.
  static let floor = 10
  /// Decoding stops when this many tokens at the end of the text repeat earlier tokens.
  ///
  /// In "never, never, never, never", five tokens do: three words and two commas.
  private static let circle = 24
  /// The maximum number of tokens.
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
  /// - Parameter tokens: the tokens; or their spellings, if tokens with the same spelling count as
  ///   equal.
  func areReached(by tokens: [some Equatable]) -> Bool {
    tokens.count >= tokenCount || Self.repetition(in: tokens, atMost: 8) >= Self.circle
  }

  /// Returns the number of repeated tokens to remove from the end of a text that is over the
  /// limits.
  func excess(of tokens: [some Equatable]) -> Int {
    Self.repetition(in: tokens, atMost: tokens.count / 2)
  }

  /// Returns the length of the longest repetition at the end of the tokens.
  ///
  /// For each period of n tokens, it counts the last tokens that equal the token n places earlier.
  /// A count below n is no repetition.
  private static func repetition(in tokens: [some Equatable], atMost longest: Int) -> Int {
    (1...max(1, longest)).map { length in
      let pairs = zip(tokens.reversed(), tokens.dropLast(length).reversed())
      let count = pairs.prefix { $0 == $1 }.count
      return count >= length ? count : 0
    }.max() ?? 0
  }
}

extension DecodedText {
  /// Whether a sentence of the grammar was probably spoken.
  ///
  /// For any other speech, the text is only the grammar's least improbable sentence. Measured on 14
  /// recordings: for the five with sentences of the grammar, the log probabilities of the tokens
  /// have a mean of at least -1.0 and are all at least -5.3; for the others, the mean is at most
  /// -3.9 and the lowest at most -8.1.
  var isSentence: Bool {
    guard let lowest = logProbabilities.min() else { return false }
    return lowest >= -7.5
      && logProbabilities.reduce(0, +) / Float(logProbabilities.count) >= -2.5
  }
}

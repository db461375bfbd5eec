import AudioCore

/// How long a text may be: models make up words without end, or go round in circles.
struct TextLimits {
  /// The fastest speech, in tokens per second.
  static let rate = 6.5
  /// The same in languages whose words the tokenizer cuts into small pieces.
  static let rateInPieces = 13.0
  /// A short command has as many tokens, however short it is.
  static let floor = 10
  /// Speech repeats fewer tokens than this: "never, never, never, never" repeats six.
  private static let circle = 24
  /// The greatest number of tokens.
  let tokenCount: Int

  init(of length: FrameCount, language: String) {
    let rate =
      language.lowercased().hasPrefix("en") || language == "und" ? Self.rate : Self.rateInPieces
    let seconds = Double(length.rawValue) / Double(SampleRate.speech.hertz)
    tokenCount = max(Self.floor, Int((seconds * rate).rounded(.up)))
  }

  /// Whether a text goes round in circles or is too long.
  ///
  /// - Parameter tokens: what is the same where tokens are alike.
  func areReached(by tokens: [some Equatable]) -> Bool {
    tokens.count >= tokenCount || Self.repetition(in: tokens, atMost: 8) >= Self.circle
  }

  /// How many tokens at the end of a text that has reached the limits repeat those before them.
  func excess(of tokens: [some Equatable]) -> Int {
    Self.repetition(in: tokens, atMost: tokens.count / 2)
  }

  /// The longest repetition at the end: how many of the last tokens are the same as those `length`
  /// before them, for the length that makes it the longest; none where that is less than one round.
  private static func repetition(in tokens: [some Equatable], atMost longest: Int) -> Int {
    (1...max(1, longest)).map { length in
      let pairs = zip(tokens.reversed(), tokens.dropLast(length).reversed())
      let count = pairs.prefix { $0 == $1 }.count
      return count >= length ? count : 0
    }.max() ?? 0
  }
}

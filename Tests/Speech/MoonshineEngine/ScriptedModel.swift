import SpeechEngine

@testable import MoonshineEngine

/// A model that recognizes one of several sentences with their probabilities, and records its
/// passes.
final class ScriptedModel: TokenModel {
  let tokenizer: Tokenizer
  private let sentences: [(tokens: [Token], weight: Float)]
  private(set) var passes: [Int] = []
  /// The number of texts in each pass after the first.
  private(set) var rowCounts: [Int] = []

  /// - Parameters:
  ///   - sentences: the texts with their probabilities; a word with a space before it is a token.
  ///   - otherWords: additional words that are tokens.
  init(_ sentences: [(String, Float)], otherWords: [String] = []) {
    var texts = ["", "", ""]
    for word in sentences.flatMap({ Self.words($0.0) }) + otherWords where !texts.contains(word) {
      texts.append(word)
    }
    tokenizer = Tokenizer(texts: texts.map { Array($0.utf8) })
    self.sentences = sentences.map { text, weight in
      (Self.words(text).compactMap(texts.firstIndex(of:)) + [Tokenizer.end], weight)
    }
  }

  func tokens(_ text: String) -> [Token] {
    Self.words(text).compactMap { word in
      tokenizer.texts.firstIndex(of: Array(word.utf8))
    }
  }

  /// Returns the tokens' texts: " Go", " on", and "." for "Go on.".
  private static func words(_ text: String) -> [String] {
    text.split(separator: " ").flatMap { word in
      word.hasSuffix(".") ? [" \(word.dropLast())", "."] : [" \(word)"]
    }
  }

  func begin(
    _ tokens: [Token]
  ) throws(SpeechEngineError) -> (scores: [TokenScores], state: [[Token]]) {
    passes.append(tokens.count + 1)
    let scores = try (0...tokens.count).map { count throws(SpeechEngineError) in
      try self.scores(after: Array(tokens.prefix(count)))
    }
    return (scores, [tokens])
  }

  func reading(
    _ next: [(row: Int, token: Token)], after state: [[Token]]
  ) throws(SpeechEngineError) -> (scores: [TokenScores], state: [[Token]]) {
    passes.append(1)
    rowCounts.append(next.count)
    let texts = next.map { state[$0.row] + [$0.token] }
    return (try texts.map { text throws(SpeechEngineError) in try scores(after: text) }, texts)
  }

  func cut(_ state: [[Token]], to count: Int) throws(SpeechEngineError) -> [[Token]] {
    state.map { Array($0.prefix(count)) }
  }

  private func scores(after tokens: [Token]) throws(SpeechEngineError) -> TokenScores {
    let possible = sentences.filter { $0.tokens.starts(with: tokens) }
    let total = possible.reduce(1e-9) { $0 + $1.weight }
    // The last three weights are beyond the tokenizer's tokens.
    var weights = [Float](repeating: 1e-6, count: tokenizer.texts.count) + [0.02, 0.02, 0.02]
    for (sentence, weight) in possible where sentence.count > tokens.count {
      weights[sentence[tokens.count]] += weight / total
    }
    return try TokenScores(weights.map { $0.logarithm })
  }
}

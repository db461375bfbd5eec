import AudioCore
import SpeechEngine

/// Chooses among the n-best list by phrases that are likely to be spoken.
///
/// Measured on 128 words with 39 errors: 28 errors remain if every spoken word pair is a phrase,
/// and 45 if the phrases come from other recordings.
struct ContextualChoice {
  /// The length of the n-best list to choose from.
  static let breadth = 50
  /// The score that each word of a phrase adds.
  static let bonus: Int32 = 100

  private let phrases: [[String]]

  /// Compares words in lower case, as the model spells them.
  init(_ phrases: [String]) {
    self.phrases = phrases.map { phrase in
      phrase.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
    }.filter { !$0.isEmpty }
  }

  var isNone: Bool { phrases.isEmpty }

  /// The best words, or those of a nearly as likely alternative with more of the phrases.
  func choose(
    _ best: [SpeechHypothesis.Word], among alternatives: [Decoder.Alternative]
  ) -> [SpeechHypothesis.Word] {
    let bestHits = hits(in: best)
    let texts = best.map(\.text)
    let bestScore = alternatives.first { $0.words.map(\.text) == texts }?.score
    guard let top = alternatives.map(\.score).max() else { return best }
    let mark = worth(bestScore ?? top, bestHits)
    let better = alternatives.map { ($0, hits(in: $0.words)) }
      .filter { $0.1 > bestHits }
      .map { ($0.0, worth($0.0.score, $0.1)) }
      .max { $0.1 < $1.1 }
    guard let (alternative, value) = better, value >= mark else { return best }
    // Keep the confidence of the words that are in both.
    return alternative.words.map { word in
      best.first { $0.text == word.text && $0.frames.overlaps(word.frames) } ?? word
    }
  }

  private func worth(_ score: Int32, _ hits: Int) -> Int { Int(score) + hits * Int(Self.bonus) }

  /// The number of words that belong to phrases.
  private func hits(in words: [SpeechHypothesis.Word]) -> Int {
    let texts = words.map { $0.text.lowercased() }
    return phrases.reduce(0) { $0 + $1.count * occurrences(of: $1, in: texts) }
  }

  private func occurrences(of phrase: [String], in texts: [String]) -> Int {
    guard texts.count >= phrase.count else { return 0 }
    return (0...(texts.count - phrase.count)).count { texts[$0...].starts(with: phrase) }
  }
}

import AudioCore
import SpeechEngine

/// A phrase to be found among the words that Vosk gives.
struct VoskKeyPhrase: Equatable {
  let words: [String]
  /// The least confidence of each of its words; nil for any.
  let threshold: Double?

  init(words: [String], threshold: Double? = nil) {
    (self.words, self.threshold) = (words, threshold)
  }

  /// - Throws: `.wordUnknown`; `.optionInvalid` for a phrase without words and for a threshold that
  ///   is none.
  init(
    _ phrase: SpeechKeyPhrase, isKnown: (String) -> Bool
  ) throws(SpeechEngineError) {
    words = phrase.text.split(whereSeparator: \.isWhitespace).map(String.init)
    threshold = phrase.threshold
    guard !words.isEmpty else {
      throw .optionInvalid(name: "key phrase", reason: "it has no words")
    }
    if let threshold, !(threshold > 0 && threshold <= 1) {
      throw .optionInvalid(
        name: "threshold of \"\(phrase.text)\"", reason: "\(threshold) is not above 0 and up to 1")
    }
    if let word = words.first(where: { !isKnown($0) }) {
      throw .wordUnknown(word, phrase: phrase.text)
    }
  }

  /// The phrases among the words, in order, each as one; of two that begin at a word the longer one
  /// counts.
  static func found(
    _ phrases: [VoskKeyPhrase], in words: [SpeechHypothesis.Word]
  ) -> [SpeechHypothesis.Word] {
    let phrases = phrases.sorted { $0.words.count > $1.words.count }
    var found: [SpeechHypothesis.Word] = []
    var rest = words[...]
    while !rest.isEmpty {
      let count = phrases.first { $0.begins(rest) }?.words.count
      if let count, let phrase = SpeechHypothesis.Word(joining: rest.prefix(count)) {
        found.append(phrase)
      }
      rest = rest.dropFirst(count ?? 1)
    }
    return found
  }

  private func begins(_ rest: ArraySlice<SpeechHypothesis.Word>) -> Bool {
    guard rest.prefix(words.count).map(\.text) == words else { return false }
    guard let threshold else { return true }
    return rest.prefix(words.count).allSatisfy { ($0.confidence ?? 0) >= threshold }
  }
}

extension SpeechHypothesis.Word {
  /// A phrase: from its first word to its last, as sure as the least sure of them.
  fileprivate init?(joining words: ArraySlice<Self>) {
    guard let first = words.first, let last = words.last else { return nil }
    let confidences = words.compactMap(\.confidence)
    self.init(
      words.map(\.text).joined(separator: " "),
      frames: first.frames.lowerBound..<max(first.frames.lowerBound, last.frames.upperBound),
      confidence: confidences.count == words.count ? confidences.min() : nil)
  }
}

import SpeechEngine

/// Keeps partial results steady: a word is shown once several hypotheses in a row agree on it and
/// on all before it.
struct PartialStabiliser {
  /// How many hypotheses in a row must agree.
  static let agreement = 3

  private var recent: [[SpeechHypothesis.Word]] = []
  private var shown: [String] = []

  /// Takes the next hypothesis; the words to show, or nil where those shown still stand.
  mutating func add(_ words: [SpeechHypothesis.Word]) -> [SpeechHypothesis.Word]? {
    recent.append(words)
    if recent.count > Self.agreement { recent.removeFirst() }
    guard recent.count == Self.agreement else { return nil }
    let steady = words.prefix(agreedCount)
    let texts = steady.map(\.text)
    // Fewer words than before is doubt, not news.
    guard texts != shown, !(texts.count < shown.count && shown.starts(with: texts)) else {
      return nil
    }
    shown = texts
    return Array(steady)
  }

  /// Forgets the utterance.
  mutating func reset() {
    self = PartialStabiliser()
  }

  /// How many words, from the first on, are the same in all recent hypotheses.
  private var agreedCount: Int {
    guard let newest = recent.last else { return 0 }
    return newest.indices.first { index in
      !recent.allSatisfy { $0.count > index && $0[index].text == newest[index].text }
    } ?? newest.count
  }
}

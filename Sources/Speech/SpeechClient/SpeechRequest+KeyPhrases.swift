package import AudioCore

extension SpeechRequest {
  /// The key phrases, with a space between their words.
  ///
  /// - Throws: `.invalidRequest` if one is invalid, or if there is a grammar as well.
  package func checkedKeyPhrases() throws(SpeechClientError) -> [KeyPhrase] {
    guard keyPhrases.isEmpty || grammar == nil else {
      throw .invalidRequest(
        reason: "a grammar and key phrases exclude each other; request one of them")
    }
    var checked: [KeyPhrase] = []
    for phrase in keyPhrases {
      let words = phrase.text.split(whereSeparator: \.isWhitespace)
      guard !words.isEmpty else { throw .invalidRequest(reason: "a key phrase has no words") }
      let text = words.joined(separator: " ")
      if let threshold = phrase.threshold, !(threshold > 0 && threshold <= 1) {
        throw .invalidRequest(
          reason: "the threshold of \"\(text)\" is \(threshold), and not above 0 and at most 1")
      }
      checked.append(KeyPhrase(text, threshold: phrase.threshold))
    }
    return checked
  }
}

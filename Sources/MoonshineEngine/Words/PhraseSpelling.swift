import SpeechEngine

/// Spells words as the phrases of a request do, where they differ only in case, spaces, and hyphens.
///
/// "comfy UI" becomes "ComfyUI". At the beginning of a sentence, a phrase in lower case gets
/// a capital.
struct PhraseSpelling {
  /// The words of each phrase, by the letters of the phrase.
  private var phrases: [[UInt8]: [String]] = [:]
  private var longest = 0

  /// The first of several phrases with the same letters counts.
  init(_ phrases: [String]) {
    for phrase in phrases {
      let letters = Self.letters(of: phrase)
      guard !letters.isEmpty, self.phrases[letters] == nil else { continue }
      self.phrases[letters] = phrase.split(whereSeparator: \.isWhitespace).map(String.init)
      longest = max(longest, letters.count)
    }
  }

  /// The words with the spelling of the longest phrases.
  func applied(to words: [DecodedWord]) -> [DecodedWord] {
    guard !phrases.isEmpty else { return words }
    var spelled: [DecodedWord] = []
    var rest = words[...]
    while let first = rest.first {
      guard let (phrase, count) = longestPhrase(at: rest) else {
        spelled.append(first)
        rest.removeFirst()
        continue
      }
      let beginsSentence = spelled.last?.text.last.map { ".?!".contains($0) } ?? true
      spelled += Self.respelled(rest.prefix(count), as: phrase, beginsSentence: beginsSentence)
      rest.removeFirst(count)
    }
    return spelled
  }

  /// The longest phrase whose letters are those of the first words, and the number of these words.
  private func longestPhrase(
    at words: ArraySlice<DecodedWord>
  ) -> (phrase: [String], wordCount: Int)? {
    var letters: [UInt8] = []
    var found: ([String], Int)?
    for (index, word) in words.enumerated() {
      letters += Self.letters(of: word.text)
      guard letters.count <= longest else { break }
      if let phrase = phrases[letters] { found = (phrase, index + 1) }
    }
    return found
  }

  /// The words of a phrase with the punctuation around those that they replace, each with the lowest
  /// confidence of these.
  private static func respelled(
    _ words: ArraySlice<DecodedWord>, as phrase: [String], beginsSentence: Bool
  ) -> [DecodedWord] {
    let confidence = words.compactMap(\.confidence).min()
    var spelled = phrase.map { DecodedWord(text: $0, confidence: confidence) }
    let before = words.first?.text.prefix { !Spelling.isSpoken(String($0)) } ?? ""
    let after = words.last?.text.reversed().prefix { !Spelling.isSpoken(String($0)) } ?? []
    let hasCapital = words.first?.text.dropFirst(before.count).first?.isUppercase == true
    let isLower = phrase.allSatisfy { $0 == $0.lowercased() }
    let first = spelled[0].text
    let keepsCapital = beginsSentence && hasCapital && isLower
    spelled[0].text =
      before + (keepsCapital ? first.prefix(1).uppercased() + first.dropFirst() : first)
    spelled[spelled.count - 1].text += String(after.reversed())
    return spelled
  }

  private static func letters(of text: String) -> [UInt8] {
    Spelling.ofWords(text).filter { $0 != Spelling.space }
  }
}

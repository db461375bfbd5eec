import SpeechClient

/// How a text is taken apart into the words that are compared.
public enum WordNormalization: Hashable, Sendable, CaseIterable {
  /// As spoken: texts that are read aloud alike compare equal.
  ///
  /// - Letters become lowercase. A word is a run of letters and digits, and of apostrophes between
  ///   two of those (’ counts as '); all else, hyphens among it, is between words, but for the dots of
  ///   "U.S." and the signs below. In scripts without spaces each letter is a word.
  /// - Numbers are written in digits: "two hundred and fifty" and "250" are the word 250, "the
  ///   twenty-first" is 21st, "two point five million" is 2500000, "the nineties" are the 90s. Numbers
  ///   that follow one another are one: "nineteen eighty-four" is 1984, "ten thirty" is 1030 as 10:30
  ///   is, and "nine one one" is 911.
  /// - Money and signs are words: "$5" is 5 dollar, "£2.50" 2 pound 50 cent (as are pence), "5 %" 5 percent,
  ///   "&" and, "-3" minus 3.
  /// - Contractions are taken apart: "isn't" is is not, "we'd" we would, "it's" it is; the 's of a noun
  ///   stays. "Gonna", "wanna", and "gotta" are going to, want to, and got to.
  /// - British spellings become American, and a few abbreviations whole words: "colour" is color,
  ///   "organised" organized, "Mr." mister.
  /// - Fillers such as uh, um, er, and hm are removed.
  ///
  /// Numbers, contractions, spellings, and fillers are those of English. A rule is the same for both
  /// texts, so that in other languages it hardly ever matters.
  case spoken
  /// As written: words are what white space separates.
  case written

  /// The words of a text, in order.
  public func words(of text: String) -> [String] {
    switch self {
    case .written: text.split(whereSeparator: \.isWhitespace).map(String.init)
    case .spoken: NumberReader.digits(in: SpokenTokens.of(text).flatMap(SpellingVariants.words))
    }
  }
}

/// Takes a text apart: small words and numbers in digits, and the signs that are read aloud.
private struct SpokenTokens {
  private let text: [Character]
  private var tokens: [String] = []
  private var run = ""

  /// The tokens of a text, in order; a sign of money stands where it is written.
  static func of(_ text: String) -> [String] {
    var tokens = SpokenTokens(text: Array(text.lowercased()))
    for index in tokens.text.indices { tokens.take(at: index) }
    tokens.endRun()
    return tokens.tokens
  }

  private init(text: [Character]) {
    self.text = text
  }

  private func character(_ index: Int) -> Character {
    text.indices.contains(index) ? text[index] : " "
  }

  private mutating func take(at index: Int) {
    let (last, character, next) = (character(index - 1), text[index], character(index + 1))
    switch character {
    case _ where character.hasNoSpaces:
      endRun()
      if character.isPartOfWord { tokens.append(String(character)) }
    case _ where character.isPartOfWord: run.append(character)
    case "'", "\u{2019}": run.append("'")
    case "." where last.isNumber && next.isNumber: run.append(".")
    case ","
    where last.isNumber && text[(index + 1)...].prefix(4).prefix { $0.isNumber }.count == 3,
      "." where isInitial(index - 1) && isInitial(index + 1):
      break
    default:
      endRun()
      if let word = Self.word(for: character, after: last, before: next) { tokens.append(word) }
    }
  }

  /// Whether there is a letter with none beside it, as in "U.S.".
  private func isInitial(_ index: Int) -> Bool {
    character(index).isLetter && !character(index - 1).isPartOfWord
      && !character(index + 1).isPartOfWord
  }

  private static func word(
    for character: Character, after last: Character, before next: Character
  ) -> String? {
    switch character {
    case "%": "percent"
    case "&": "and"
    case "$", "£", "€": String(character)
    case "-", "\u{2212}": next.isNumber && last.isWhitespace ? "minus" : nil
    default: nil
    }
  }

  /// An apostrophe that begins or ends a run is a quotation mark, and two of them in a row are, too.
  private mutating func endRun() {
    let parts = run.split(separator: "'", omittingEmptySubsequences: false)
    tokens += parts.split(whereSeparator: \.isEmpty).map { $0.joined(separator: "'") }
    run = ""
  }
}

extension Character {
  fileprivate var isPartOfWord: Bool { isLetter || isNumber }
}

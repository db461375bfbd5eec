/// Takes a text apart: small words and numbers in digits, and the signs that are read aloud.
struct SpokenTokens {
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

/// The normalization of a text into comparable words.
public enum WordNormalization: Hashable, Sendable, CaseIterable {
  /// As spoken: texts that sound alike are equal.
  ///
  /// - Letters become lowercase. A word is a run of letters, digits, and apostrophes between them
  ///   (’ counts as '). Everything else, such as a hyphen, separates words, except for the dots of
  ///   "U.S." and the signs below. In scripts without spaces, each letter is a word.
  /// - Numbers are written in digits: "two hundred and fifty" and "250" are the word 250, "the
  ///   twenty-first" is 21st, "two point five million" is 2500000, "the nineties" are the 90s.
  ///   Consecutive numbers are joined: "nineteen eighty-four" is 1984, "ten thirty" is 1030 like
  ///   10:30, "3 p m" is 3 pm, and "nine one one" is 911.
  /// - Money and signs are words: "$5" is 5 dollar, "£2.50" is 2 pound 50 cent (also for pence), "5
  ///   %" is 5 percent, "&" is and, "-3" is minus 3.
  /// - Contractions are expanded: "isn't" is is not, "we'd" is we would, "it's" is it is. The 's of
  ///   a noun stays. "Gonna", "wanna", and "gotta" are going to, want to, and got to.
  /// - British spellings become American, and a few abbreviations are expanded: "colour" is color,
  ///   "organised" is organized, "Mr." is mister.
  /// - Fillers such as uh, um, er, and hm are removed.
  ///
  /// Numbers, contractions, spellings, and fillers are English. Both texts are normalized alike, so
  /// this rarely affects other languages.
  case spoken
  /// As written: whitespace separates words.
  case written

  /// Returns the words of a text, in order.
  public func words(of text: String) -> [String] { words(of: [text]).map(\.word) }

  /// Returns the words in `pieces`, which are the whitespace-separated pieces of a text.
  ///
  /// `end` is the number of pieces up to and including the word's last piece. A word may consist of
  /// several pieces: "two" and "hundred" form the word 200, which ends with the second piece.
  package func words(of pieces: [String]) -> [(word: String, end: Int)] {
    let parts = pieces.enumerated().flatMap { index, piece in
      tokens(of: piece).map { (word: $0, end: index + 1) }
    }
    guard self == .spoken else { return parts }
    return NumberReader.digits(in: parts.map(\.word)).map { ($0.word, parts[$0.end - 1].end) }
  }

  /// Returns the words of a piece, before numbers are converted to digits.
  private func tokens(of piece: String) -> [String] {
    switch self {
    case .written: piece.split(whereSeparator: \.isWhitespace).map(String.init)
    case .spoken: SpokenTokens.of(piece).flatMap(Self.unifiedWords)
    }
  }
}

/// Splits a text into lowercase words, numbers in digits, and signs that are read aloud.
private struct SpokenTokens {
  private let text: [Character]
  private var tokens: [String] = []
  private var run = ""

  /// Returns the tokens of a text, in order; a currency sign keeps its position.
  static func of(_ text: String) -> [String] {
    var tokens = SpokenTokens(text: Array(text.lowercased()))
    for index in tokens.text.indices { tokens.process(at: index) }
    tokens.endRun()
    return tokens.tokens
  }

  private init(text: [Character]) {
    self.text = text
  }

  private func character(_ index: Int) -> Character {
    text.indices.contains(index) ? text[index] : " "
  }

  private mutating func process(at index: Int) {
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

  /// Whether the character at this index is a single letter, as in "U.S.".
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

  /// Ends a run of letters, digits, and apostrophes.
  ///
  /// An apostrophe at the run's beginning or end is a quotation mark, and so are two apostrophes in
  /// a row.
  private mutating func endRun() {
    let parts = run.split(separator: "'", omittingEmptySubsequences: false)
    tokens += parts.split(whereSeparator: \.isEmpty).map { $0.joined(separator: "'") }
    run = ""
  }
}

extension Character {
  fileprivate var isPartOfWord: Bool { isLetter || isNumber }
}

extension WordNormalization {
  /// Returns the words to compare for a lowercase English word.
  ///
  /// Contractions and abbreviations are expanded, British spellings become American, and fillers
  /// are removed.
  private static func unifiedWords(for word: String) -> [String] {
    if fillers.contains(word) { return [] }
    return (phrases[word] ?? expanded(word)).map(EnglishSpelling.american)
  }

  private static let fillers: Set<String> = [
    "uh", "uhh", "um", "umm", "uhm", "er", "erm", "hm", "hmm", "mm", "mmm", "mhm",
  ]

  /// The expansions of irregular contractions and of abbreviations.
  private static let phrases: [String: [String]] = [
    "won't": ["will", "not"], "can't": ["can", "not"], "cannot": ["can", "not"],
    "shan't": ["shall", "not"], "ain't": ["is", "not"], "let's": ["let", "us"],
    "y'all": ["you", "all"],
    "gonna": ["going", "to"], "wanna": ["want", "to"], "gotta": ["got", "to"],
    "ok": ["okay"], "mr": ["mister"], "mrs": ["missus"], "dr": ["doctor"], "prof": ["professor"],
    "vs": ["versus"], "etc": ["et", "cetera"],
  ]

  /// The endings of contractions.
  ///
  /// 's is not included, because it may be a possessive; it is expanded only after `subjects`.
  private static let endings = [
    ("n't", "not"), ("'re", "are"), ("'ll", "will"), ("'ve", "have"), ("'m", "am"), ("'d", "would"),
  ]
  private static let subjects: Set<String> = [
    "it", "he", "she", "that", "this", "there", "here", "what", "who", "where", "when", "why",
    "how",
  ]

  private static func expanded(_ word: String) -> [String] {
    guard word.contains("'") else { return [word] }
    for (ending, meaning) in endings where word.hasSuffix(ending) && word.count > ending.count {
      return expanded(String(word.dropLast(ending.count))) + [meaning]
    }
    let stem = String(word.dropLast(2))
    return word.hasSuffix("'s") && subjects.contains(stem) ? [stem, "is"] : [word]
  }
}

/// What PocketSphinx has against a grammar that is one, by what it writes into its log.
struct GrammarTrouble: Equatable {
  /// What is wrong, for people.
  let reason: String
  /// The line that is meant, from 1; nil where the log does not tell.
  private(set) var line: Int?

  /// The first of the errors; nil where there is none.
  init?(_ errors: [String], in grammar: String) {
    guard let error = errors.first else { return nil }
    guard error.hasPrefix("The word '") else {
      reason = error
      return
    }
    // A long word ends with the line of the log.
    let word = error.split(separator: "'", omittingEmptySubsequences: false).dropFirst().first ?? ""
    let remedy =
      word.hasPrefix("\"")
      ? "; write the words one by one, without quotation marks" : " (its words are in lower case)"
    reason = "the word \(word.quoted) is not in the dictionary\(remedy)"
    line = Self.line(of: String(word), in: grammar)
  }

  /// The first line that has the word as a word of its own.
  private static func line(of word: String, in grammar: String) -> Int? {
    let lines = grammar.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let index = lines.firstIndex { line in
      line.split { !($0.isLetter || $0.isNumber || "'-._".contains($0)) }.contains { $0 == word }
    }
    // A word with other characters in it, or the beginning of a long one.
    return (index ?? lines.firstIndex { $0.contains(word) }).map { $0 + 1 }
  }
}

extension StringProtocol {
  /// The text as it may stand in a message, which should not be as long as a grammar.
  fileprivate var clipped: String { count > 40 ? "\(prefix(40))…" : String(self) }

  /// The clipped text in quotation marks, where it has none of its own.
  fileprivate var quoted: String { hasPrefix("\"") ? clipped : "\"\(clipped)\"" }
}

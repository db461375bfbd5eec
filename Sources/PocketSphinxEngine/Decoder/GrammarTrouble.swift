/// What is wrong with a grammar, by what PocketSphinx writes into its log.
struct GrammarTrouble: Equatable {
  /// What is wrong, for people.
  let reason: String
  /// The line that is meant, from 1; nil where the log does not tell.
  private(set) var line: Int?
  /// Whether the text is no JSGF.
  private(set) var isSyntax = false
  /// Whether the text is no JSGF already before its end.
  private(set) var isWithinText = false

  /// The first of the errors; nil where there is none.
  init?(_ errors: [String], in grammar: String) {
    guard let error = errors.first else { return nil }
    let quoted = error.split(separator: "'", omittingEmptySubsequences: false)
    if error.hasPrefix("syntax error") {
      isSyntax = true
      let token = quoted.count > 1 ? quoted[1] : ""
      isWithinText = !token.isEmpty
      reason = isWithinText ? "syntax error at \(token.quoted)" : "the grammar ends too early"
    } else if error.hasPrefix("memory exhausted") {
      reason = "the grammar is nested too deeply"
    } else if error.hasPrefix("The word '") {
      // A long word ends with the line of the log.
      let word = quoted.dropFirst().first ?? ""
      let remedy =
        word.hasPrefix("\"")
        ? "; write the words one by one, without quotation marks" : " (its words are in lower case)"
      reason = "the word \(word.quoted) is not in the dictionary\(remedy)"
      line = Self.line(of: String(word), in: grammar)
    } else if error.hasPrefix("Undefined rule in RHS: ") {
      let rule = Self.ruleName(in: error)
      reason = "the rule <\(rule.clipped)> is not defined"
      line = Self.line(of: rule, in: grammar)
    } else if error.hasPrefix("No public rules") {
      reason = "it has no public rule"
    } else {
      reason = error
    }
  }

  /// `y` of `… <a.y>`.
  private static func ruleName(in error: String) -> String {
    let name = error.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" }
    return name.split(separator: ".").last.map(String.init) ?? String(name)
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

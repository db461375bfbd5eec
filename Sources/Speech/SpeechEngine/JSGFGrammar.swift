/// A checked JSGF grammar.
///
/// An engine creates it to reject an invalid text before its library reads the text.
package struct JSGFGrammar {
  /// The name in the grammar's header; empty if the header has none.
  package let name: String
  package private(set) var rules: [String: JSGFExpansion] = [:]
  /// The names of the public rules, in order.
  package private(set) var publicRules: [String] = []

  /// - Throws: `.grammarInvalid` with the line.
  package init(_ text: String) throws(SpeechEngineError) {
    var parser = JSGFParser(try JSGFTokenizer.tokens(of: text))
    name = try parser.header()
    while let (name, isPublic, expansion) = try parser.rule() {
      rules[name] = expansion
      if isPublic { publicRules.append(name) }
    }
    guard !publicRules.isEmpty else {
      throw .grammarInvalid(line: nil, reason: "it has no public rule")
    }
  }

  /// Returns the right side of a rule.
  ///
  /// `rule` is the rule's name, with or without the grammar's name. `line` is the line of the
  /// reference, for an error.
  package func expansion(of rule: String, line: Int) throws(SpeechEngineError) -> JSGFExpansion {
    switch JSGFExpansion.unqualified(rule) {
    case "NULL": return .sequence([])
    case "VOID": return .choice([])
    case let name:
      guard let expansion = rules[name] else {
        throw .grammarInvalid(line: line, reason: "the rule <\(name)> is not defined")
      }
      return expansion
    }
  }

  /// Checks the nesting depth of rules, groups, alternatives, and sequences.
  ///
  /// - Throws: `.grammarInvalid` if the nesting is too deep.
  package static func checkDepth(
    _ depth: Int, at rule: String, line: Int
  ) throws(SpeechEngineError) {
    let deepest = 2 * JSGFParser.deepest
    guard depth < deepest else {
      throw .grammarInvalid(
        line: line, reason: "at <\(rule)> rules and their parts are more than \(deepest) deep")
    }
  }

  /// Checks that a library can expand each reference to a rule.
  ///
  /// - Throws: `.grammarInvalid` for an undefined rule, for a rule that contains itself anywhere
  ///   but at its end, and for too many rules and parts.
  package func checkExpansion() throws(SpeechEngineError) {
    var walk = JSGFWalk(grammar: self)
    for rule in publicRules {
      walk.start = rule
      _ = try walk.isEmptyAllowed(.rule(rule, line: 1), JSGFWalk.Place())
    }
  }
}

/// Walks through the expansion of a rule, like a library that replaces each rule name with that
/// rule's content.
private struct JSGFWalk {
  /// The maximum number of words and rules in the expansion of all public rules.
  static let most = 50_000

  /// The position of a part in the expansion.
  struct Place {
    /// The number of parts before this part that cannot be empty.
    var said = 0
    /// Whether nothing follows the part in the expansion.
    var isLast = true
    var depth = 0
  }

  let grammar: JSGFGrammar
  /// The public rule that is being expanded.
  var start = ""
  private var count = 0
  /// The rules that contain the current part, the outermost first.
  ///
  /// `said` is the number of parts that precede the rule and cannot be empty.
  private var open: [(rule: String, said: Int)] = []

  init(grammar: JSGFGrammar) {
    self.grammar = grammar
  }

  /// Checks a part, and returns whether it may be empty.
  mutating func isEmptyAllowed(
    _ part: JSGFExpansion, _ place: Place
  ) throws(SpeechEngineError) -> Bool {
    count += 1
    guard count <= Self.most else {
      throw .grammarInvalid(
        line: nil,
        reason: """
          with the rule <\(start)> the grammar expands to more than \(Self.most) words; refer to \
          other rules less often
          """)
    }
    var inner = place
    inner.depth += 1
    switch part {
    case .word: return false
    case .rule(let name, let line):
      return try isEmptyAllowed(rule: JSGFExpansion.unqualified(name), line, inner)
    case .sequence(let parts): return try isEmptyAllowed(inOrder: parts, inner)
    case .choice(let choices):
      var isAllowed = false
      for choice in choices where try isEmptyAllowed(choice, inner) { isAllowed = true }
      return isAllowed
    case .repetition(let part, let isRequired, _):
      inner.isLast = false
      let isAllowed = try isEmptyAllowed(part, inner)
      return isAllowed || !isRequired
    }
  }

  private mutating func isEmptyAllowed(
    inOrder parts: [JSGFExpansion], _ place: Place
  ) throws(SpeechEngineError) -> Bool {
    var inner = place
    for (index, part) in parts.enumerated() {
      inner.isLast = place.isLast && index == parts.count - 1
      if try !isEmptyAllowed(part, inner) { inner.said += 1 }
    }
    return inner.said == place.said
  }

  private mutating func isEmptyAllowed(
    rule: String, _ line: Int, _ place: Place
  ) throws(SpeechEngineError) -> Bool {
    if let around = open.last(where: { $0.rule == rule }) {
      guard place.isLast, place.said > around.said else {
        let place = place.said > around.said ? "before its end" : "before any word"
        throw .grammarInvalid(line: line, reason: "the rule <\(rule)> contains itself \(place)")
      }
      return false
    }
    try JSGFGrammar.checkDepth(place.depth, at: rule, line: line)
    open.append((rule, place.said))
    defer { open.removeLast() }
    return try isEmptyAllowed(grammar.expansion(of: rule, line: line), place)
  }
}

/// The right side of a rule of a JSGF grammar.
package indirect enum JSGFExpansion: Equatable {
  case word(String, line: Int)
  case rule(String, line: Int)
  case sequence([JSGFExpansion])
  case choice([JSGFExpansion])
  /// `*`, or `+` for at least one repetition; the number of sentences is then unlimited.
  case repetition(JSGFExpansion, isRequired: Bool, line: Int)
}

extension JSGFExpansion {
  /// Returns a rule's name without the grammar's name.
  package static func unqualified(_ rule: String) -> String {
    rule.split(separator: ".").last.map(String.init) ?? rule
  }
}

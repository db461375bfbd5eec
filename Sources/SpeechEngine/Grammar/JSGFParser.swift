/// Parses the rules of a JSGF grammar.
package struct JSGFParser {
  /// The deepest nesting of groups; the parser is recursive, and its stack is limited.
  static let deepest = 200

  private var depth = 0
  private var tokens: ArraySlice<JSGFToken>
  private let lastLine: Int

  init(_ tokens: [JSGFToken]) {
    self.tokens = tokens[...]
    lastLine = tokens.last?.line ?? 1
  }

  private var next: JSGFToken.Kind? { tokens.first?.kind }
  private var line: Int { tokens.first?.line ?? lastLine }

  /// The next rule, its name without brackets and grammar; nil at the end.
  mutating func rule() throws(SpeechEngineError) -> (name: String, isPublic: Bool, JSGFExpansion)? {
    guard next != nil else { return nil }
    let isPublic = next == .word("public")
    if isPublic { tokens.removeFirst() }
    if next == .word("import") {
      throw .grammarInvalid(
        line: line,
        reason: "imports are not supported; copy the other grammar's rules into this one")
    }
    guard case .rule(let name) = next else { throw unexpected("a rule begins with its <name>") }
    tokens.removeFirst()
    try take("=")
    let expansion = try choice()
    try take(";")
    return (name, isPublic, expansion)
  }

  /// `#JSGF V1.0;` and `grammar name;`: the grammar's name.
  mutating func header() throws(SpeechEngineError) -> String {
    guard case .word(let word) = next, word == "#JSGF" else {
      throw .grammarInvalid(line: 1, reason: "a grammar begins with #JSGF V1.0;")
    }
    _ = try statement()
    return next == .word("grammar") ? try statement().last ?? "" : ""
  }

  /// The words up to the end of a statement that is not a rule.
  private mutating func statement() throws(SpeechEngineError) -> [String] {
    var words: [String] = []
    while let kind = next, kind != .mark(";") {
      if case .word(let word) = kind { words.append(word) }
      tokens.removeFirst()
    }
    try take(";")
    return words
  }

  private mutating func choice() throws(SpeechEngineError) -> JSGFExpansion {
    var choices = [try sequence()]
    while next == .mark("|") {
      tokens.removeFirst()
      choices.append(try sequence())
    }
    return choices.count == 1 ? choices[0] : .choice(choices)
  }

  private mutating func sequence() throws(SpeechEngineError) -> JSGFExpansion {
    var parts: [JSGFExpansion] = []
    while let part = try part() { parts.append(part) }
    guard !parts.isEmpty else { throw unexpected("a word, a <rule>, or a group is missing") }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  private mutating func part() throws(SpeechEngineError) -> JSGFExpansion? {
    guard let atom = try atom() else { return nil }
    guard next == .mark("*") || next == .mark("+") else { return atom }
    defer { tokens.removeFirst() }
    return .repetition(atom, isRequired: next == .mark("+"), line: line)
  }

  private mutating func atom() throws(SpeechEngineError) -> JSGFExpansion? {
    let line = line
    switch next {
    case .word(let text):
      tokens.removeFirst()
      let words = text.split(whereSeparator: \.isWhitespace).map {
        JSGFExpansion.word(String($0), line: line)
      }
      return words.count == 1 ? words[0] : .sequence(words)
    case .rule(let name):
      tokens.removeFirst()
      return .rule(name, line: line)
    case .mark("("): return try group(until: ")")
    case .mark("["): return .choice([try group(until: "]"), .sequence([])])
    default: return nil
    }
  }

  private mutating func group(until end: Character) throws(SpeechEngineError) -> JSGFExpansion {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else {
      throw .grammarInvalid(
        line: line,
        reason: "groups are nested more than \(Self.deepest) deep; "
          + "move inner groups into separate rules")
    }
    tokens.removeFirst()
    let expansion = try choice()
    try take(end)
    return expansion
  }

  private mutating func take(_ mark: Character) throws(SpeechEngineError) {
    guard next == .mark(mark) else { throw unexpected("\(mark) is missing") }
    tokens.removeFirst()
  }

  private func unexpected(_ reason: String) -> SpeechEngineError {
    switch next {
    case nil: .grammarInvalid(line: line, reason: "the grammar ends too early: \(reason)")
    case .word(let text): .grammarInvalid(line: line, reason: "at \"\(text)\": \(reason)")
    case .rule(let name): .grammarInvalid(line: line, reason: "at <\(name)>: \(reason)")
    case .mark(let mark): .grammarInvalid(line: line, reason: "at \"\(mark)\": \(reason)")
    }
  }
}

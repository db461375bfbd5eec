/// Parses the rules of a JSGF grammar.
package struct JSGFParser {
  /// The maximum nesting of groups, because the recursive parser has a limited stack.
  static let deepest = 200

  private var depth = 0
  private var tokens: ArraySlice<(token: JSGFToken, line: Int)>
  private let lastLine: Int

  /// - Parameter tokens: the tokens with their lines, counted from 1.
  init(_ tokens: [(token: JSGFToken, line: Int)]) {
    self.tokens = tokens[...]
    lastLine = tokens.last?.line ?? 1
  }

  private var next: JSGFToken? { tokens.first?.token }
  private var line: Int { tokens.first?.line ?? lastLine }

  /// Returns the next rule; nil at the end.
  ///
  /// The name has no angle brackets.
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
    try expect("=")
    let expansion = try choice()
    try expect(";")
    return (name, isPublic, expansion)
  }

  /// Reads `#JSGF V1.0;` and `grammar name;`, and returns the grammar's name.
  mutating func header() throws(SpeechEngineError) -> String {
    guard case .word(let word) = next, word == "#JSGF" else {
      throw .grammarInvalid(line: 1, reason: "a grammar begins with #JSGF V1.0;")
    }
    _ = try statement()
    return next == .word("grammar") ? try statement().last ?? "" : ""
  }

  /// Returns the words up to the end of a statement that is not a rule.
  private mutating func statement() throws(SpeechEngineError) -> [String] {
    var words: [String] = []
    while let token = next, token != .mark(";") {
      if case .word(let word) = token { words.append(word) }
      tokens.removeFirst()
    }
    try expect(";")
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
    try expect(end)
    return expansion
  }

  private mutating func expect(_ mark: Character) throws(SpeechEngineError) {
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

/// A token of a JSGF grammar.
enum JSGFToken: Equatable {
  case word(String)
  /// A name in angle brackets.
  case rule(String)
  /// `=`, `;`, `|`, `(`, `)`, `[`, `]`, `*`, or `+`.
  case mark(Character)
}

/// Splits a JSGF grammar into tokens, without comments, weights, and tags, which do not affect the
/// sentences.
struct JSGFTokenizer {
  private var rest: Substring
  private var line = 1
  private var tokens: [(token: JSGFToken, line: Int)] = []

  /// Returns the tokens with their lines, counted from 1.
  static func tokens(
    of text: String
  ) throws(SpeechEngineError) -> [(token: JSGFToken, line: Int)] {
    var tokenizer = JSGFTokenizer(rest: text[...])
    while try tokenizer.step() {}
    return tokenizer.tokens
  }

  private init(rest: Substring) {
    self.rest = rest
  }

  private mutating func step() throws(SpeechEngineError) -> Bool {
    guard let character = rest.first else { return false }
    switch character {
    case _ where character.isWhitespace: skip(1)
    case "/" where rest.hasPrefix("//"): skip(rest.prefix { !$0.isNewline }.count)
    case "/" where rest.hasPrefix("/*"): try skip(past: "*/")
    case "/": try skip(past: "/")
    case "{": try skip(past: "}")
    case "<": add(.rule(try enclosed(">")))
    case "\"": add(.word(try enclosed("\"")))
    case "=", ";", "|", "(", ")", "[", "]", "*", "+":
      add(.mark(character))
      skip(1)
    default: addWord()
    }
    return true
  }

  private mutating func addWord() {
    let word = rest.prefix { !$0.isWhitespace && !"=;|()[]*+<>{}\"/".contains($0) }
    if !word.isEmpty { add(.word(String(word))) }
    // Characters that begin no token are skipped, one at a time.
    skip(max(1, word.count))
  }

  private mutating func add(_ token: JSGFToken) {
    tokens.append((token, line))
  }

  private mutating func enclosed(_ end: Character) throws(SpeechEngineError) -> String {
    let content = rest.dropFirst().prefix { $0 != end }
    try skip(past: end)
    return String(content)
  }

  /// Skips the first character, and everything up to and including `end`.
  private mutating func skip(past end: some StringProtocol) throws(SpeechEngineError) {
    let content = rest.dropFirst()
    var tail = content
    while !tail.isEmpty, !tail.hasPrefix(end) { tail = tail.dropFirst() }
    guard !tail.isEmpty else {
      throw .grammarInvalid(line: line, reason: "the closing \(end) is missing")
    }
    skip(rest.distance(from: rest.startIndex, to: tail.startIndex) + end.count)
  }

  private mutating func skip(past end: Character) throws(SpeechEngineError) {
    try skip(past: String(end))
  }

  private mutating func skip(_ count: Int) {
    line += rest.prefix(count).count(where: \.isNewline)
    rest = rest.dropFirst(count)
  }
}

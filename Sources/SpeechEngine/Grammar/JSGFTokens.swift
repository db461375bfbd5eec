/// A token of a JSGF grammar, and its line from 1.
struct JSGFToken: Equatable {
  enum Kind: Equatable {
    case word(String)
    /// A name in angle brackets.
    case rule(String)
    /// `=`, `;`, `|`, `(`, `)`, `[`, `]`, `*`, or `+`.
    case mark(Character)
  }

  let kind: Kind
  let line: Int
}

/// Cuts a JSGF grammar into tokens; comments, weights, and tags do not change what may be said.
struct JSGFTokenizer {
  private var rest: Substring
  private var line = 1
  private var tokens: [JSGFToken] = []

  static func tokens(of text: String) throws(SpeechEngineError) -> [JSGFToken] {
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

  private mutating func add(_ kind: JSGFToken.Kind) {
    tokens.append(JSGFToken(kind: kind, line: line))
  }

  private mutating func enclosed(_ end: Character) throws(SpeechEngineError) -> String {
    let content = rest.dropFirst().prefix { $0 != end }
    try skip(past: end)
    return String(content)
  }

  /// Skips the first character and all others up to and including an end.
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

import SpeechEngine

extension JSGFGrammar {
  /// All sentences of the public rules, which Vosk takes as a list.
  ///
  /// - Throws: `.grammarInvalid` for an unknown rule or word; `.unsupported` for a grammar with too
  ///   many sentences.
  func sentences(
    isKnown: @escaping (String) -> Bool
  ) throws(SpeechEngineError) -> Set<[String]> {
    var sentences = GrammarSentences(grammar: self, isKnown: isKnown)
    var all: Set<[String]> = []
    for rule in publicRules {
      all.formUnion(try sentences.of(rule: rule, line: 1))
      try sentences.check(count: all.count, rule: rule)
    }
    return all.subtracting([[]])
  }
}

/// Expands rules into sentences, each rule once.
private struct GrammarSentences {
  typealias Sentences = Set<[String]>

  /// The most sentences of a part of a grammar, the most words of a sentence, and the most words of
  /// all parts: 10,000 sentences of 100 words.
  static let most = 10_000
  static let longest = 100
  static let mostWords = 1_000_000

  let grammar: JSGFGrammar
  let isKnown: (String) -> Bool
  private var known: [String: Sentences] = [:]
  private var wordCount = 0
  /// The rules in expansion, the outermost first.
  private var open: [String] = []
  private var depth = 0

  init(grammar: JSGFGrammar, isKnown: @escaping (String) -> Bool) {
    (self.grammar, self.isKnown) = (grammar, isKnown)
  }

  /// The sentences of a rule that a line refers to.
  mutating func of(rule qualified: String, line: Int) throws(SpeechEngineError) -> Sentences {
    let name = JSGFExpansion.unqualified(qualified)
    if let sentences = known[name] { return sentences }
    let expansion = try grammar.expansion(of: name, line: line)
    guard !open.contains(name) else {
      throw Self.unsupported("contains itself (<\(name)>, line \(line))")
    }
    try JSGFGrammar.checkDepth(depth, at: name, line: line)
    open.append(name)
    let sentences = try of(expansion)
    open.removeLast()
    known[name] = sentences
    return sentences
  }

  private mutating func of(_ expansion: JSGFExpansion) throws(SpeechEngineError) -> Sentences {
    depth += 1
    defer { depth -= 1 }
    switch expansion {
    case .word(let word, let line):
      guard isKnown(word) else {
        throw .grammarInvalid(line: line, reason: "the model does not have the word \"\(word)\"")
      }
      return [[word]]
    case .rule(let name, let line): return try of(rule: name, line: line)
    case .choice(let choices):
      var all: Sentences = []
      for choice in choices {
        all.formUnion(try of(choice))
        try check(count: all.count)
      }
      return all
    case .sequence(let parts): return try of(parts: parts)
    case .repetition(_, _, let line):
      throw Self.unsupported("repeats a part without a limit (line \(line))")
    }
  }

  private mutating func of(parts: [JSGFExpansion]) throws(SpeechEngineError) -> Sentences {
    var all: Sentences = [[]]
    for part in parts {
      let next = try of(part)
      try check(count: all.count * next.count)
      all = Set(all.flatMap { beginning in next.map { beginning + $0 } })
      if all.contains(where: { $0.count > Self.longest }) {
        throw Self.unsupported("has sentences of more than \(Self.longest) words\(place())")
      }
    }
    wordCount += all.reduce(0) { $0 + $1.count }
    guard wordCount <= Self.mostWords else {
      throw Self.unsupported("has rules of more than \(Self.mostWords) words\(place())")
    }
    return all
  }

  /// - Parameter rule: the rule for the error; nil for the one in expansion.
  func check(count: Int, rule: String? = nil) throws(SpeechEngineError) {
    guard count <= Self.most else {
      throw Self.unsupported("has more than \(Self.most) sentences\(place(rule))")
    }
  }

  private func place(_ rule: String? = nil) -> String {
    (rule ?? open.last).map { " (<\($0)>)" } ?? ""
  }

  private static func unsupported(_ what: String) -> SpeechEngineError {
    .unsupported("a grammar that \(what)", engine: VoskLimits.engine)
  }
}

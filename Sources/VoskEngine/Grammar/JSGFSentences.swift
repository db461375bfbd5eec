import SpeechEngine

/// Tells the sentences of rules one by one; those of each rule are worked out once.
struct JSGFSentences {
  typealias Sentences = Set<[String]>

  /// How many sentences a part of a grammar may have, and how many words one of them.
  static let most = 10_000
  static let longest = 100
  /// How many rules, groups, alternatives and sequences may be within each other where one rule
  /// names the next.
  static let deepest = 2 * JSGFParser.deepest

  let rules: [String: JSGFExpansion]
  let isKnown: (String) -> Bool
  private var known: [String: Sentences] = [:]
  /// The rules that are being worked out, the outermost first.
  private var open: [String] = []
  private var depth = 0

  init(rules: [String: JSGFExpansion], isKnown: @escaping (String) -> Bool) {
    (self.rules, self.isKnown) = (rules, isKnown)
  }

  /// The sentences of a rule that a line refers to; its name may have its grammar's before it.
  mutating func of(rule qualified: String, line: Int) throws(SpeechEngineError) -> Sentences {
    let name = qualified.split(separator: ".").last.map(String.init) ?? qualified
    if name == "NULL" { return [[]] }
    if name == "VOID" { return [] }
    if let sentences = known[name] { return sentences }
    guard let expansion = rules[name] else {
      throw .grammarInvalid(line: line, reason: "the rule <\(name)> is not defined")
    }
    guard !open.contains(name) else {
      throw Self.unsupported("contains itself (<\(name)>, line \(line))")
    }
    guard depth < Self.deepest else {
      throw .grammarInvalid(
        line: line, reason: "at <\(name)> rules and their parts are more than \(Self.deepest) deep")
    }
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
    case .choice(let choices): return try of(choices: choices)
    case .sequence(let parts): return try of(parts: parts)
    case .repetition(let line):
      throw Self.unsupported("repeats something without end (line \(line))")
    }
  }

  private mutating func of(
    choices: [JSGFExpansion]
  ) throws(SpeechEngineError) -> Sentences {
    var all: Sentences = []
    for choice in choices { all.formUnion(try of(choice)) }
    try Self.check(count: all.count)
    return all
  }

  private mutating func of(parts: [JSGFExpansion]) throws(SpeechEngineError) -> Sentences {
    var all: Sentences = [[]]
    for part in parts {
      let next = try of(part)
      try Self.check(count: all.count * next.count)
      all = Set(all.flatMap { beginning in next.map { beginning + $0 } })
      if all.contains(where: { $0.count > Self.longest }) {
        throw Self.unsupported("has sentences of more than \(Self.longest) words")
      }
    }
    return all
  }

  static func check(count: Int) throws(SpeechEngineError) {
    guard count <= most else { throw unsupported("has more than \(most) sentences") }
  }

  private static func unsupported(_ what: String) -> SpeechEngineError {
    .unsupported("grammar that \(what)", engine: VoskLimits.engine)
  }
}

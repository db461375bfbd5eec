import SpeechEngine

/// A JSGF grammar whose sentences can be told one by one, as Vosk wants them.
struct JSGFGrammar {
  private var rules: [String: JSGFExpansion] = [:]
  private var publicRules: [String] = []

  /// - Throws: `.grammarInvalid` with the line; `.unsupported` for an import.
  init(_ text: String) throws(SpeechEngineError) {
    var parser = JSGFParser(try JSGFTokenizer.tokens(of: text))
    try parser.header()
    while let (name, isPublic, expansion) = try parser.rule() {
      rules[name] = expansion
      if isPublic { publicRules.append(name) }
    }
    guard !publicRules.isEmpty else {
      throw .grammarInvalid(line: nil, reason: "it has no public rule")
    }
  }

  /// All sentences of the public rules.
  ///
  /// - Throws: `.grammarInvalid` for a rule or a word that there is not; `.unsupported` for a
  ///   grammar with more sentences than can be told.
  func sentences(
    isKnown: @escaping (String) -> Bool
  ) throws(SpeechEngineError) -> Set<[String]> {
    var sentences = JSGFSentences(rules: rules, isKnown: isKnown)
    var all: Set<[String]> = []
    for rule in publicRules { all.formUnion(try sentences.of(rule: rule, line: 1)) }
    try JSGFSentences.check(count: all.count)
    return all.subtracting([[]])
  }
}

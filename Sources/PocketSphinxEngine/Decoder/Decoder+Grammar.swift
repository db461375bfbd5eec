import CPocketSphinx
import SpeechEngine

extension Decoder {
  /// The name of the rule that stands for all public ones.
  private static let anyRule = "syrinxAnyPublicRule"

  /// Makes the search for a grammar, of which every public rule may be said; the corresponding C
  /// function is `ps_set_jsgf_string`.
  ///
  /// - Throws: `.grammarInvalid`, with the line where one is to blame.
  func load(_ grammar: String, name: String) throws(SpeechEngineError) {
    // PocketSphinx' parser prints on standard output what comes before this.
    guard grammar.hasPrefix("#JSGF") else {
      throw .grammarInvalid(line: 1, reason: "a grammar begins with #JSGF V1.0;")
    }
    let errors = SphinxErrors.during { [self] in
      // A rule that is not there is an error in the log, and 0 is returned all the same.
      if let rules = PublicRules(of: grammar), rules.names.count > 1 {
        // It takes one rule alone, and of several public ones an arbitrary one.
        let choice = rules.names.joined(separator: " | ")
        let all = "\(grammar)\npublic <\(Self.anyRule)> = \(choice);\n"
        setTopRule("\(rules.grammar).\(Self.anyRule)")
        _ = ps_set_jsgf_string(decoder, name, all)
        setTopRule(nil)
      } else {
        _ = ps_set_jsgf_string(decoder, name, grammar)
      }
    }
    guard let trouble = GrammarTrouble(errors, in: grammar) else { return }
    ps_unset_search(decoder, name)
    let line = trouble.line ?? (trouble.isSyntax ? Self.lineOfSyntaxError(in: grammar) : nil)
    throw .grammarInvalid(line: line, reason: trouble.reason)
  }

  private func setTopRule(_ name: String?) {
    cmd_ln_set_str_r(ps_get_config(decoder), "-toprule", name)
  }

  /// The line of the first syntax error, by parsing beginnings of the text: the number in the log
  /// is garbage.
  private static func lineOfSyntaxError(in grammar: String) -> Int {
    let lines = grammar.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    // So many lines have no error, so many have one; without any it is the end that is missing.
    var (good, bad) = (0, lines.count)
    while bad - good > 1 {
      let middle = (good + bad) / 2
      let beginning = lines[..<middle].joined(separator: "\n")
      let errors = SphinxErrors.during { _ = PublicRules(of: beginning) }
      if GrammarTrouble(errors, in: beginning)?.isWithinText == true {
        bad = middle
      } else {
        good = middle
      }
    }
    return bad
  }
}

/// The public rules of a grammar; the corresponding C function is `jsgf_rule_iter`.
private struct PublicRules {
  let grammar: String
  /// With the name of the grammar, and in angle brackets: `<commands.go>`.
  private(set) var names: [String] = []

  /// Nil where the text is no JSGF, which is then in the log.
  init?(of text: String) {
    guard let parsed = jsgf_parse_string(text, nil) else { return nil }
    defer { jsgf_grammar_free(parsed) }
    grammar = jsgf_grammar_name(parsed).map { String(cString: $0) } ?? ""
    var next = jsgf_rule_iter(parsed)
    // Walking to the end frees the iterator.
    while let current = next {
      let rule = OpaquePointer(current.pointee.ent.pointee.val)
      if let rule, jsgf_rule_public(rule) != 0, let name = jsgf_rule_name(rule) {
        names.append(String(cString: name))
      }
      next = hash_table_iter_next(current)
    }
    // Those that the grammar imports are not its own.
    names = names.filter { $0.hasPrefix("<\(grammar).") }.sorted()
  }
}

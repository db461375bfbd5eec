import CPocketSphinx
import SpeechEngine

extension Decoder {
  /// The name of the rule that stands for all public ones.
  private static let anyRule = "syrinxAnyPublicRule"

  /// Makes the search for a grammar, of which every public rule may be said; the corresponding C
  /// function is `ps_set_jsgf_string`.
  ///
  /// PocketSphinx puts each rule in all the places where its name stands, by calling itself: over a
  /// deep grammar it ends the process, and over one that doubles it takes all memory.
  ///
  /// - Throws: `.grammarInvalid`, with the line where one is to blame.
  func load(_ grammar: String, name: String) throws(SpeechEngineError) {
    // PocketSphinx' parser prints on standard output what comes before this.
    guard grammar.hasPrefix("#JSGF") else {
      throw .grammarInvalid(line: 1, reason: "a grammar begins with #JSGF V1.0;")
    }
    let rules = try JSGFGrammar(grammar)
    try rules.checkExpansion()
    let errors = SphinxErrors.during { [self] in
      // A word that is not there is an error in the log, and 0 is returned all the same.
      if rules.publicRules.count > 1 {
        // It takes one rule alone, and of several public ones an arbitrary one.
        let choice = rules.publicRules.map { "<\($0)>" }.joined(separator: " | ")
        let all = "\(grammar)\npublic <\(Self.anyRule)> = \(choice);\n"
        setTopRule("\(rules.name).\(Self.anyRule)")
        _ = ps_set_jsgf_string(decoder, name, all)
        setTopRule(nil)
      } else {
        _ = ps_set_jsgf_string(decoder, name, grammar)
      }
    }
    guard let trouble = GrammarTrouble(errors, in: grammar) else { return }
    ps_unset_search(decoder, name)
    throw .grammarInvalid(line: trouble.line, reason: trouble.reason)
  }

  private func setTopRule(_ name: String?) {
    cmd_ln_set_str_r(ps_get_config(decoder), "-toprule", name)
  }
}

import SpeechEngine
import Testing

@Suite struct JSGFGrammarTests {
  private func failure(_ rules: String) -> SpeechEngineError? {
    do throws(SpeechEngineError) {
      try JSGFGrammar("#JSGF V1.0;\ngrammar a.b;\n" + rules).checkExpansion()
      return nil
    } catch {
      return error
    }
  }

  @Test func `a parsed grammar has the header's name and the public rules in order`() throws {
    let grammar = try JSGFGrammar(
      "#JSGF V1.0;\ngrammar a.b;\npublic <z> = go; <y> = stop; public <x> = go;")
    #expect(grammar.name == "a.b")
    #expect(grammar.publicRules == ["z", "x"])
    #expect(try JSGFGrammar("#JSGF V1.0; public <z> = go;").name == "")
  }

  @Test(arguments: [
    "public <x> = go [<x>];", "public <x> = <y>; <y> = stop | go <x>;",
    "public <x> = [very] go <x> | <NULL>;", "public <x> = (go | stop)* turn+;",
    "public <x> = <y> <y>; <y> = go;", "public <x> = go | <VOID>;",
  ]) func `a rule reference is accepted wherever the expansion is finite`(rules: String) {
    #expect(failure(rules) == nil)
  }

  @Test(arguments: [
    ("public <x> = <x>;", 3, "the rule <x> contains itself before any word"),
    ("public <x> = go | <x>;", 3, "the rule <x> contains itself before any word"),
    ("public <x> = <y>;\n<y> = [go] <x>;", 4, "the rule <x> contains itself before any word"),
    ("public <x> = go <x> stop;", 3, "the rule <x> contains itself before its end"),
    ("public <x> = go (<x>)*;", 3, "the rule <x> contains itself before its end"),
    ("public <x> = go\n<y>;", 4, "the rule <y> is not defined"),
    ("import <../other.rule>;\npublic <x> = go;", 3, "imports are not supported"),
  ]) func `the error for a reference that a library cannot expand contains the line`(
    rules: String, line: Int, reason: String
  ) {
    guard case .grammarInvalid(line, let why) = failure(rules) else {
      Issue.record("\(String(describing: failure(rules)))")
      return
    }
    #expect(why.hasPrefix(reason))
  }

  @Test func `all public rules share one limit, because a library joins the rules`() {
    let big = "<big> = " + Array(repeating: "go", count: 9_000).joined(separator: " ") + ";"
    let rules = (0..<6).map { "public <p\($0)> = <big>;" }.joined(separator: "\n")
    guard case .grammarInvalid(nil, let why) = failure(big + rules) else {
      Issue.record("it was taken")
      return
    }
    #expect(why.hasPrefix("with the rule <p5> the grammar expands to more than 50000 words"))
  }

  @Test(arguments: ["<r\u{1}> <r\u{1}>", "<r\u{1}> | <r\u{1}>"])
  func `the error for rules that double at each level names the public rule`(form: String) {
    let rules = (0..<40).map { number in
      "<r\(number)> = " + form.replacing("\u{1}", with: "\(number + 1)") + ";"
    }
    guard
      case .grammarInvalid(nil, let why) = failure(
        "public <all> = <r0>;" + rules.joined() + "<r40> = go;")
    else {
      Issue.record("it was taken")
      return
    }
    #expect(why.hasPrefix("with the rule <all> the grammar expands to more than 50000 words"))
  }

  @Test func `rules that all refer to each other neither crash nor take long`() {
    let names = (0..<12).map { "go <r\($0)>" }.joined(separator: " | ")
    let rules = (0..<12).map { "<r\($0)> = \(names);" }.joined()
    #expect(failure("public <all> = <r0>;" + rules) != nil)
  }

  @Test func `the error for a chain of 10,000 rules contains the name of a rule`() {
    let chain = (0..<10_000).map { "<r\($0)> = <r\($0 + 1)>;\n" }.joined()
    let error = failure("public <a> = <r0>;\n\(chain)<r10000> = go;")
    guard case .grammarInvalid(_, let why) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(why.hasPrefix("at <r"))
    #expect(why.contains("deep"))
  }
}

import SpeechEngine
import Testing

@testable import VoskEngine

@Suite struct GrammarSentencesTests {
  private func sentences(_ rules: String) throws -> [String] {
    try JSGFGrammar("#JSGF V1.0 UTF-8 en;\ngrammar test;\n" + rules).sentences { $0 != "blorfle" }
      .map { $0.joined(separator: " ") }.sorted()
  }

  private func failure(_ text: String) -> SpeechEngineError? {
    do throws(SpeechEngineError) {
      _ = try JSGFGrammar(text).sentences { $0 != "blorfle" }
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    ("public <a> = go;", ["go"]),
    ("public <a> = go forward | stop;", ["go forward", "stop"]),
    ("public <a> = go [forward];", ["go", "go forward"]),
    (
      "public <a> = (go | turn) (left | right);",
      ["go left", "go right", "turn left", "turn right"]
    ),
    ("public <a> = <b> left; <b> = go | <test.c>; <c> = turn;", ["go left", "turn left"]),
    ("public <a> = /0.9/ go {SET speed=1} | /0.1/ stop;", ["go", "stop"]),
    ("// a comment\npublic <a> = go /* and\nanother */ on;", ["go on"]),
    ("public <a> = \"new york\" | it's;", ["it's", "new york"]),
    ("public <a> = go <NULL> on | <VOID> never;", ["go on"]),
    ("public <a> = go; public <b> = stop; <c> = never;", ["go", "stop"]),
    ("public <a> = [please];", ["please"]),
  ])
  func `all sentences are listed`(rules: String, expected: [String]) throws {
    #expect(try sentences(rules) == expected)
  }

  @Test(arguments: [
    ("grammar a;", 1, "begins with #JSGF"),
    ("#JSGF V1.0;\npublic <a> = ;", 2, "is missing"),
    ("#JSGF V1.0;\npublic <a> = go", 2, "ends too early"),
    ("#JSGF V1.0;\n\npublic <a> = (go | stop;", 3, ") is missing"),
    ("#JSGF V1.0;\npublic <a> = go\n <b>;", 3, "the rule <b> is not defined"),
    ("#JSGF V1.0;\npublic <a> = go |\nblorfle;", 3, "the word \"blorfle\""),
    ("#JSGF V1.0;\npublic <a", 2, "is missing"),
    ("#JSGF V1.0;\npublic = go;", 2, "a rule begins with its <name>"),
    ("#JSGF V1.0;\nimport <other.rule>; public <a> = go;", 2, "imports are not supported"),
  ])
  func `the error for an invalid grammar contains the line`(text: String, line: Int, reason: String)
    throws
  {
    guard case .grammarInvalid(let where_, let why) = failure(text) else {
      Issue.record("\(String(describing: failure(text)))")
      return
    }
    #expect(where_ == line)
    #expect(why.contains(reason))
  }

  @Test(arguments: ["groups", "rules"])
  func `nesting that is too deep is an error`(kind: String) {
    let rules =
      kind == "groups"
      ? "\npublic <a> = " + String(repeating: "(", count: 5000) + "go"
        + String(repeating: ")", count: 5000) + ";"
      : "\npublic <a> = <r0>; "
        + (0..<5000).map { "<r\($0)> = <r\($0 + 1)>; " }.joined() + "<r5000> = go;"
    guard case .grammarInvalid(2, let reason) = failure("#JSGF V1.0;" + rules) else {
      Issue.record("it was taken")
      return
    }
    #expect(reason.contains("deep"))
  }

  @Test func `a chain of a hundred rules and groups is not too deep`() {
    let chain = (0..<100).map { "<r\($0)> = (<r\($0 + 1)>);" }.joined()
    #expect(failure("#JSGF V1.0;\npublic <a> = <r0>;\(chain)<r100> = go;") == nil)
  }

  @Test func `a grammar without a public rule is an error`() {
    #expect(
      failure("#JSGF V1.0;\n<a> = go;")
        == .grammarInvalid(line: nil, reason: "it has no public rule"))
  }

  @Test(arguments: [
    ("public <a> = go+;", "repeats"), ("public <a> = (go | on)*;", "repeats"),
    ("public <a> = go <a>;", "contains itself"),
    ("public <a> = <b>; <b> = x <c>; <c> = <b>;", "contains itself"),
    ("public <a> = <a>;", "contains itself (<a>"),
  ])
  func `a grammar with unlimited sentences is an error`(rules: String, reason: String) {
    guard case .unsupported(let what, "Vosk") = failure("#JSGF V1.0;\n" + rules) else {
      Issue.record("it was taken")
      return
    }
    #expect(what.contains(reason))
  }

  @Test func `many sentences, long sentences, and many paths to one sentence are expanded quickly`()
  {
    let digit = "<d> = 0|1|2|3|4|5|6|7|8|9;"
    #expect(failure("#JSGF V1.0;\npublic <a> = <d><d><d><d>;\(digit)") == nil)
    #expect(
      failure("#JSGF V1.0;\npublic <a> = <d><d><d><d><d>;\(digit)")
        == .unsupported("a grammar that has more than 10000 sentences (<a>)", engine: "Vosk"))
    // Each rule has the maximum number of sentences.
    let wide = (1..<90).map { "<r\($0)> = <r\($0 - 1)> go;" }.joined()
    #expect(
      failure("#JSGF V1.0;\npublic <a> = <r89>;<r0> = <d><d><d><d>;\(wide)\(digit)")
        == .unsupported(
          "a grammar that has rules of more than 1000000 words (<r11>)", engine: "Vosk")
    )
    let doubled = (0..<60).map { "<r\($0)> = <r\($0 + 1)> | <r\($0 + 1)>;" }.joined()
    #expect(failure("#JSGF V1.0;\npublic <a> = <r0>;\(doubled)<r60> = go;") == nil)
    let long = (0..<60).map { "<r\($0)> = <r\($0 + 1)> <r\($0 + 1)>;" }.joined()
    guard case .unsupported = failure("#JSGF V1.0;\npublic <a> = <r0>;\(long)<r60> = go;") else {
      Issue.record("a sentence of 2 to the 60 words was taken")
      return
    }
  }
}

import AudioCore
import Foundation
import Logging
import SoundFile
import SpeechEngine
import TestTools
import Testing

@testable import PocketSphinxEngine

@Suite(.ownThread, .serialized) struct GrammarTests {
  private static let engine = SpeechEngine.pocketSphinx()
  private static let commands = """
    #JSGF V1.0;
    grammar commands;
    public <command> = go (forward | back) [<count> meters];
    <count> = two | ten;
    """

  private func final(_ options: SpeechSessionOptions) throws -> SpeechHypothesis {
    let url = Checkout.file("Samples/sounds/go-forward.wav")
    let session = try Self.engine.makeSession(options)
    try session.beginUtterance()
    try session.process(try SoundFileReader(url: url).read(atMost: 1_000_000).samples)
    return try session.finishUtterance()
  }

  @Test(arguments: ["<left>", "<right>"])
  func `every public rule may be spoken`(other: String) throws {
    // PocketSphinx itself would accept only one of these public rules, chosen by its name.
    let rules = [
      "public \(other) = turn left;", "public <a> = go forward <count> meters;",
      "<count> = ten;", "public <z> = stop;",
    ]
    for grammar in [rules, rules.reversed()] {
      let text = "#JSGF V1.0;\ngrammar a.b;\n" + grammar.joined(separator: "\n")
      let words = try final(SpeechSessionOptions(grammar: text)).words.map(\.text)
      #expect(words == ["go", "forward", "ten", "meters"])
    }
    // After this grammar, a grammar with one rule is also accepted.
    let words = try final(SpeechSessionOptions(grammar: Self.commands)).words.map(\.text)
    #expect(words == ["go", "forward", "ten", "meters"])
  }

  @Test func `a rule that is not public is not recognized as a sentence`() throws {
    let grammar = "#JSGF V1.0; grammar a; public <a> = stop; public <b> = <c> two; <c> = forward;"
    let words = try final(SpeechSessionOptions(grammar: grammar)).words.map(\.text)
    #expect(words != ["forward"])
  }

  @Test
  func `an utterance becomes a sentence of the grammar, without confidences`()
    throws
  {
    let words = try final(SpeechSessionOptions(grammar: Self.commands)).words
    #expect(words.map(\.text) == ["go", "forward", "ten", "meters"])
    #expect(words.allSatisfy { $0.confidence == nil })
    let narrow = "#JSGF V1.0; grammar a; public <a> = go back two meters;"
    let forced = try final(SpeechSessionOptions(grammar: narrow)).words.map(\.text)
    #expect(["go", "back", "two", "meters"].starts(with: forced))
  }

  @Test func `a decoder switches from a grammar to dictation and back`() throws {
    let narrow = "#JSGF V1.0; grammar a; public <a> = stop;"
    for _ in 0..<2 {
      _ = try final(SpeechSessionOptions(grammar: narrow))
      let words = try final(SpeechSessionOptions()).words
      #expect(words.map(\.text) == ["go", "forward", "ten", "meters"])
      #expect(words.allSatisfy { $0.confidence != nil })
    }
  }

  @Test(
    arguments: [
      ("#JSGF V1.0;\ngrammar a;\npublic <x> = go | | ;\n", 3, "at \"|\": a word, a <rule>, or"),
      ("#JSGF V1.0;\ngrammar a;\npublic <x> = go\n  (stop;\n", 4, "at \";\": ) is missing"),
      ("nonsense", 1, "begins with #JSGF"),
      (
        "#JSGF V1.0;\ngrammar a;\npublic <x> = go\n  | blorfle;", 4,
        "\"blorfle\" is not in the dictionary"
      ),
      ("#JSGF V1.0;\ngrammar a;\npublic <x> = go <y>;", 3, "the rule <y> is not defined"),
      ("#JSGF V1.0;\ngrammar a;\n<x> = go;", nil, "no public rule"),
      (
        "#JSGF V1.0;\ngrammar a;\npublic <x> = go;\npublic <y> =\n blorfle;", 5,
        "\"blorfle\" is not in the dictionary"
      ),
      (
        "#JSGF V1.0;\ngrammar a;\npublic <x> = \(String(repeating: "(", count: 20_000));", 3,
        "groups are nested more than 200 deep"
      ),
      (
        "#JSGF V1.0;\ngrammar a;\npublic <x> = \(String(repeating: "a", count: 500));", 3,
        "\"\(String(repeating: "a", count: 40))…\""
      ),
      (
        "#JSGF V1.0;\ngrammar a;\npublic <x> =\n\"stop go\";", 4,
        "write the words one by one, without quotation marks"
      ),
      ("#JSGF V1.0;\ngrammar a;\npublic <x> = <x> go;", 3, "itself before any word"),
      (
        "#JSGF V1.0;\ngrammar a;\nimport <../x.y>;\npublic <x> = go;", 3,
        "imports are not supported"
      ),
    ] as [(String, Int?, String)])
  func `the error for an invalid grammar contains the line`(
    grammar: String, line: Int?, text: String
  ) throws {
    let error = #expect(throws: SpeechEngineError.self) {
      _ = try Self.engine.makeSession(SpeechSessionOptions(grammar: grammar))
    }
    guard case .grammarInvalid(let errorLine, let reason) = error else {
      Issue.record("\(String(describing: error)) is another error")
      return
    }
    #expect(errorLine == line)
    #expect(reason.contains(text), "\(reason)")
  }

  @Test(arguments: ["(go | forward | ten | meters)+", "go forward ten [stop*] meters*"])
  func `a repetition in a grammar adds no empty words to the result`(rule: String) throws {
    let grammar = "#JSGF V1.0; grammar a; public <a> = \(rule);"
    let words = try final(SpeechSessionOptions(grammar: grammar)).words.map(\.text)
    #expect(words == ["go", "forward", "ten", "meters"])
  }

  @Test func `a rule may refer to itself at its end`() throws {
    let grammar = "#JSGF V1.0; grammar a; public <a> = (go | forward | ten | meters) [<a>];"
    let words = try final(SpeechSessionOptions(grammar: grammar)).words.map(\.text)
    #expect(words == ["go", "forward", "ten", "meters"])
  }

  @Test func `a rule may expand to the maximum number of words`() throws {
    let doubled = (0..<13).map { "<r\($0)> = <r\($0 + 1)> <r\($0 + 1)>;" }.joined()
    let grammar = "#JSGF V1.0; grammar a; public <a> = go | <r0>;\(doubled)<r13> = go;"
    _ = try Self.engine.makeSession(SpeechSessionOptions(grammar: grammar))
  }

  @Test func `the line of an error in a long grammar is found`() throws {
    let many = (0..<3000).map { "<r\($0)> = go;" }.joined(separator: "\n")
    let error = #expect(throws: SpeechEngineError.self) {
      _ = try Self.engine.makeSession(
        SpeechSessionOptions(
          grammar: "#JSGF V1.0;\ngrammar a;\n\(many)\npublic <x> = go ((;\n\(many)"))
    }
    let reason = "at \";\": a word, a <rule>, or a group is missing"
    #expect(error == .grammarInvalid(line: 3003, reason: reason))
  }

  @Test(arguments: ["de-DE", "en-GB", ""])
  func `a language other than the model's is an error`(language: String) {
    #expect(throws: SpeechEngineError.languageMissing(wanted: language, available: "en-US")) {
      _ = try Self.engine.makeSession(SpeechSessionOptions(language: language))
    }
  }

  @Test(arguments: ["en-US", "en_US", "en"])
  func `different spellings of the model's language tag are accepted`(language: String) throws {
    _ = try Self.engine.makeSession(SpeechSessionOptions(language: language))
  }
}

@Suite struct GrammarErrorTests {
  @Test func `without errors in PocketSphinx's log, no grammar error is created`() {
    #expect(SpeechEngineError(grammarErrors: [], in: "") == nil)
  }

  @Test func `the reported line of an unknown word is the first line with the whole word`() {
    let error = SpeechEngineError(
      grammarErrors: ["The word 'go' is missing in the dictionary"],
      in: "going\ngo-back\n(go|stop)")
    guard case .grammarInvalid(line: 3, reason: _) = error else {
      Issue.record("the error is \(String(describing: error))")
      return
    }
  }

  @Test func `the error for an unknown word with an apostrophe contains the whole word`() {
    let error = SpeechEngineError(
      grammarErrors: ["The word 'don't' is missing in the dictionary"],
      in: "don stop\n(don't|go)")
    guard case .grammarInvalid(line: 2, reason: let reason) = error else {
      Issue.record("the error is \(String(describing: error))")
      return
    }
    #expect(reason.contains("\"don't\""))
  }

  @Test func `an unknown error of PocketSphinx is reported unchanged`() {
    #expect(
      SpeechEngineError(grammarErrors: ["the moon is full"], in: "")
        == .grammarInvalid(line: nil, reason: "the moon is full"))
  }
}

@Suite struct SphinxLogTests {
  @Test func `PocketSphinx's log is hidden by default`() {
    for level in Int32(0)...5 { #expect(SphinxLog.level(of: level) < .info) }
  }
}

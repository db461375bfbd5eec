import AudioCore
import Foundation
import SpeechEngine
import Testing

@testable import MoonshineEngine

extension Float {
  var logarithm: Float { log(self) }
}

extension TokenSearch {
  fileprivate func margin(_ margin: Float) -> TokenSearch {
    var search = self
    search.margin = margin
    return search
  }
}

@Suite struct TokenSearchTests {
  private func search(
    _ model: ScriptedModel, _ guide: TokenGuide = .none, seconds: Double = 10, width: Int = 1
  ) -> TokenSearch<ScriptedModel> {
    TokenSearch(
      model: model, tokenizer: model.tokenizer,
      limits: TextLimits(of: FrameCount(.seconds(seconds), at: .speech), language: "en"),
      guide: guide, width: width)
  }

  @Test func `the likeliest text is found token by token`() throws {
    let model = ScriptedModel([("Go on.", 0.7), ("Go in.", 0.3)])
    let texts = try search(model).texts()
    #expect(texts.map(\.tokens) == [model.tokens("Go on.")])
    #expect(texts[0].logProbabilities.count == 4)
    #expect(model.passes == [1, 1, 1, 1])
  }

  @Test func `the correct beginning of a draft is read in one pass`()
    throws
  {
    let model = ScriptedModel([("we go on and on now", 1), ("we go in", 0.1)])
    let plain = try search(model).texts()[0]
    for (draft, passes) in [
      ("we go on and on now", [7]), ("we go on and", [5, 1, 1]), ("we go in", [4, 1, 1, 1, 1]),
      ("now", [2, 1, 1, 1, 1, 1, 1]), ("", [1, 1, 1, 1, 1, 1, 1]),
    ] {
      let drafted = ScriptedModel([("we go on and on now", 1), ("we go in", 0.1)])
      let text = try search(drafted).texts(draft: drafted.tokens(draft))[0]
      #expect(text.tokens == plain.tokens)
      #expect(text.logProbabilities == plain.logProbabilities)
      #expect(drafted.passes == passes)
    }
  }

  @Test(arguments: ["we go on and on now", "we go on and in", "we go on", "now", ""])
  func `a draft does not change the text, and its correct beginning saves passes`(
    draft: String
  ) throws {
    let sentences: [(String, Float)] = [("we go on and on now", 0.6), ("we go on and in", 0.4)]
    let (plain, drafted) = (ScriptedModel(sentences), ScriptedModel(sentences))
    let (texts, others) = (
      try search(plain, width: 4).margin(3).texts(2),
      try search(drafted, width: 4).margin(3).texts(2, draft: drafted.tokens(draft))
    )
    #expect(texts.map(\.tokens) == others.map(\.tokens) && texts.count == 2)
    #expect(texts.map(\.logProbabilities) == others.map(\.logProbabilities))
    let right = zip(draft.split(separator: " "), ["we", "go", "on", "and"]).prefix { $0 == $1 }
    #expect(drafted.passes.count == plain.passes.count - right.count)
  }

  @Test func `if a text repeats itself, the search ends and keeps one repetition`() throws {
    let model = ScriptedModel([
      (Array(repeating: "now and then", count: 20).joined(separator: " "), 1)
    ])
    let text = try search(model).texts()[0]
    #expect(text.tokens == model.tokens("now and then"))
    #expect(text.logProbabilities.count == 3)
    #expect(model.passes.count <= 30)
  }

  @Test func `repeated words do not end the text`() throws {
    let model = ScriptedModel([("no no no no no no no no no no stop", 1)])
    #expect(try search(model).texts()[0].tokens.count == 11)
  }

  @Test func `a grammar may repeat a word any number of times`() throws {
    let text = String(repeating: "go ", count: 30) + "stop"
    let model = ScriptedModel([(text, 1)])
    let guide = try TokenGuide(SpeechSessionOptions(grammar: "#JSGF V1.0; public <a> = go* stop;"))
    let found = try search(model, guide).texts()[0]
    #expect(found.tokens.count == 31)
    #expect(model.tokenizer.words(of: found).count == 31)
  }

  @Test func `a word of a grammar may contain a single apostrophe`() throws {
    let texts = ["", "", "", " don", "'", "t", " stop"].map { Array($0.utf8) }
    let tokenizer = Tokenizer(texts: texts)
    let scores = try TokenScores([-9, -9, -9, -2, -1, -2, -2])
    var guide = try TokenGuide(
      SpeechSessionOptions(grammar: "#JSGF V1.0; public <a> = don't stop;"))
    for (token, offered) in [(3, [3]), (4, [4, 5]), (5, [5]), (6, [4, 6])] {
      let candidates = guide.candidates(scores, most: 9, of: tokenizer)
      #expect(candidates.map(\.token) == offered)
      guide = try #require(candidates.first { $0.token == token }).guide
    }
    #expect(guide.candidates(scores, most: 9, of: tokenizer).contains { $0.token == Tokenizer.end })
  }

  @Test func `a token that the model lacks is never chosen`() throws {
    let tokenizer = Tokenizer(texts: ["", "", "", " go", " stop"].map { Array($0.utf8) })
    let scores = try TokenScores([-9, -9, -1, -1])
    for guide in [
      TokenGuide.none, .phrases(PhraseProgress(["stop"])),
      try TokenGuide(SpeechSessionOptions(grammar: "#JSGF V1.0; public <a> = stop;")),
    ] {
      #expect(!guide.candidates(scores, most: 9, of: tokenizer).contains { $0.token == 4 })
    }
  }

  @Test func `the length of the text of a short utterance is limited, whatever the model outputs`()
    throws
  {
    let words = (0..<50).map { "word\($0)" }.joined(separator: " ")
    let model = ScriptedModel([(words, 1)])
    #expect(try search(model, seconds: 0.2).texts()[0].tokens.count == TextLimits.floor)
    #expect(try search(model, seconds: 4).texts()[0].tokens.count == 26)
  }

  @Test func `the search follows several texts at a time and returns them likeliest first`() throws
  {
    // The best text does not begin with the best first token.
    let model = ScriptedModel([("a b", 0.3), ("a c", 0.3), ("d e", 0.4)])
    let texts = try search(model, width: 4).texts(3)
    #expect(texts.map(\.tokens).first == model.tokens("d e"))
    #expect(Set(texts.map(\.tokens)) == Set(["a b", "a c", "d e"].map(model.tokens)))
    #expect(try search(model).texts()[0].tokens != model.tokens("d e"))
  }

  @Test func `a contextual phrase is preferred to a slightly likelier text`() throws {
    let sentences: [(String, Float)] = [("ten of cloves", 0.95), ("ten of clubs", 0.05)]
    let phrases = TokenGuide.phrases(PhraseProgress(["Ten of Clubs"]))
    for width in [1, 4] {
      let model = ScriptedModel(sentences)
      #expect(
        try search(model, phrases, width: width).texts()[0].tokens == model.tokens("ten of clubs"))
      let other = ScriptedModel([("ten of cloves", 1), ("ten of clubs", 1e-5)])
      #expect(
        try search(other, phrases, width: width).texts()[0].tokens == other.tokens("ten of cloves"))
    }
  }

  @Test func `a text never ends before its first word, even if the model prefers the end`()
    throws
  {
    let certain = ScriptedModel([("", 0.99), ("who is there", 0.01)])
    for width in [1, 4] {
      #expect(
        try search(certain, width: width).texts()[0].tokens == certain.tokens("who is there"))
    }
  }

  @Test func `each pass of the model reads the next token of every candidate text`() throws {
    let model = ScriptedModel([("a b", 0.3), ("a c", 0.3), ("d e", 0.4)])
    _ = try search(model, width: 4).texts()
    #expect(model.passes.count <= 4)
  }

  @Test func `the search drops a text that is much less likely than the best text`() throws {
    let sentences: [(String, Float)] = [("go on", 0.99), ("we see it all", 0.01)]
    let model = ScriptedModel(sentences)
    var close = search(model, width: 4)
    close.margin = 3
    _ = try close.texts(2)
    let narrow = model.passes.count
    let other = ScriptedModel(sentences)
    let wide = search(other, width: 4)
    #expect(try wide.texts(2).map(\.tokens) == ["go on", "we see it all"].map(other.tokens))
    #expect(other.passes.count > narrow)
  }

  @Test
  func `if texts have the same last six words, only the likeliest is continued, draft or not`()
    throws
  {
    let end = "on to the sea and back past the old red house with a blue door"
    let sentences: [(String, Float)] = [("we go \(end)", 0.6), ("he goes \(end)", 0.4)]
    let model = ScriptedModel(sentences)
    let text = try search(model, width: 4).margin(3).texts()[0]
    #expect(text.tokens == model.tokens("we go \(end)"))
    #expect(model.rowCounts == Array(repeating: 2, count: 7) + Array(repeating: 1, count: 10))
    let drafted = ScriptedModel(sentences)
    let other = try search(drafted, width: 4).margin(3)
      .texts(draft: drafted.tokens("he goes \(end)"))[0]
    #expect(other.tokens == text.tokens && other.logProbabilities == text.logProbabilities)
    #expect(drafted.rowCounts == Array(repeating: 2, count: 7))
  }

  @Test func `a complete text is preferred to its slightly likelier beginning`() throws {
    let model = ScriptedModel([("go", 0.4), ("go on to the end", 0.3), ("so", 0.3)])
    var search = search(model, width: 4)
    search.margin = 3
    #expect(try search.texts()[0].tokens == model.tokens("go on to the end"))
  }

  @Test func `a grammar allows only its own sentences, whatever the model prefers`() throws {
    let model = ScriptedModel(
      [("Ten of cloves.", 0.9), ("Ten of clubs.", 0.1)], otherWords: [" on"])
    let guide = try TokenGuide(
      SpeechSessionOptions(grammar: "#JSGF V1.0; public <a> = ten of (clubs | hearts);"))
    let text = try search(model, guide).texts()[0]
    #expect(text.tokens == model.tokens("Ten of clubs."))
    #expect(model.tokenizer.words(of: text).map(\.text) == ["ten", "of", "clubs"])
  }
}

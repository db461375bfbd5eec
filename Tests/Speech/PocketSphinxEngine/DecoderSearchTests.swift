import AudioCore
import SpeechEngine
import Testing

@testable import PocketSphinxEngine

@Suite struct DecoderSearchTests {
  private func isWithin(_ words: String, _ search: DecoderSearch) -> Bool {
    var vocabulary = Vocabulary()
    for word in words.utf8.split(separator: UInt8(ascii: " ")) {
      vocabulary.insert(WordHash(of: word))
    }
    return search.isWithin(vocabulary)
  }

  @Test
  func `a vocabulary must contain a grammar's words, but not its rule names, tags, or comments`() {
    let grammar = DecoderSearch.grammar(
      """
      #JSGF V1.0 UTF-8 en;
      grammar robot.moves;
      import <robot.others>;
      /* to drive it */
      public <move> = /0.5/ go {drive} <there>|(stop)*[back]+;
      <there>=forward\t| ten meters;
      """)
    #expect(isWithin("import go stop back forward ten meters", grammar))
    for missing in ["go", "stop", "back", "forward", "ten", "meters"] {
      let others = "import go stop back forward ten meters".split(separator: " ")
        .filter { $0 != missing }.joined(separator: " ")
      #expect(!isWithin(others, grammar), "\(missing)")
    }
  }

  @Test func `key phrases need all of their words in the vocabulary, and dictation needs none`() {
    let phrases = DecoderSearch.keyPhrases([KeyPhrase("go on"), KeyPhrase("stop")])
    #expect(isWithin("stop on go", phrases))
    #expect(!isWithin("stop go", phrases) && !isWithin("go on", phrases))
    #expect(isWithin("", .anything))
  }

  @Test(arguments: [
    "// yes/no answers\n", "/* http://x.org/y */", "/* a / b */ ", "// a < b\n", "// a { b\n",
    "/* a < b */ ", "/* a { b */ ",
  ])
  func `a slash, bracket, or brace in a comment does not hide the words after it`(
    comment: String
  ) {
    let words = "a b go yes answers"
    #expect(!isWithin(words, .grammar("\(comment)public <a> = go | on;")))
    #expect(!isWithin(words, .grammar("public <a> = go | \(comment)on <b> {c};")))
  }

  @Test(arguments: ["\"go on\"", "// robot", "go\\", "\u{FC}ber"])
  func `quotes, line comments, escapes, and non-ASCII letters count as unknown words`(text: String)
  {
    #expect(!isWithin("go on", .grammar("public <a> = go | \(text);")))
  }
}

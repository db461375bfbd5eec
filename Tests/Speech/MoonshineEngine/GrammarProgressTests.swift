import SpeechEngine
import Testing

@testable import MoonshineEngine

@Suite struct GrammarProgressTests {
  private func words(_ text: String, _ rules: String) throws -> [String]? {
    let graph = try GrammarGraph(JSGFGrammar("#JSGF V1.0; \(rules)"))
    var progress: GrammarProgress? = GrammarProgress(graph)
    for byte in Array(text.utf8).tokenSpelling { progress = progress?.reading(byte) }
    guard let progress, progress.mayEnd else { return nil }
    return progress.words.map(\.word)
  }

  private static let cards = """
    public <cards> = <card>+ | <rank> <rank>;
    <card> = <rank> [of] <suit>; <suit> = clubs | Hearts; <rank> = four | queen | twenty-five;
    """

  @Test(arguments: [
    (" Four of clubs.", ["four", "of", "clubs"]), ("four clubs", ["four", "clubs"]),
    (" Queen, four!", ["queen", "four"]),
    (" Four clubs, Queen of HEARTS.", ["four", "clubs", "queen", "of", "Hearts"]),
    (" Twenty five hearts", ["twenty-five", "Hearts"]),
    (" Twenty-five, four", ["twenty-five", "four"]),
  ])
  func `a sentence in any spelling yields the words of the grammar`(
    text: String, expected: [String]
  ) throws {
    #expect(try words(text, Self.cards) == expected)
  }

  @Test(arguments: [
    " Four of", " four", " of clubs", " fourclubs", " four  clubs", " four clubs,.", " fo ur clubs",
    " five of clubs", "", " ", " four clubs x", " four,, clubs", " four clubsqueen hearts",
  ])
  func `a text that is not a sentence of the grammar is rejected`(text: String) throws {
    #expect(try words(text, Self.cards) == nil)
  }

  @Test func `apostrophes are ignored, and a rule may refer to itself at its end`() throws {
    let rules = "public <a> = don't <b>; <b> = stop | stop <a>;"
    #expect(
      try words(" Don\u{2019}t stop, dont stop.", rules) == ["don't", "stop", "don't", "stop"])
    #expect(try words(" Don't", rules) == nil)
  }

  @Test func `every public rule may be spoken, and an empty rule matches nothing`() throws {
    let rules =
      "public <a> = yes <NULL>; public <b> = no | never <VOID>; public <c> = [please] (go)*;"
    #expect(try words(" Yes.", rules) == ["yes"])
    #expect(try words(" no", rules) == ["no"])
    #expect(try words(" never", rules) == nil)
    #expect(try words(" please go go go", rules) == ["please", "go", "go", "go"])
  }

  @Test func `each word has its offset in the text`() throws {
    let graph = try GrammarGraph(JSGFGrammar("#JSGF V1.0; public <a> = twenty-five clubs;"))
    var progress: GrammarProgress? = GrammarProgress(graph)
    for byte in Array(" twenty,five, clubs".utf8) { progress = progress?.reading(byte) }
    #expect(progress?.words.map(\.start) == [1, 14])
  }

  @Test func `a grammar that is too large or endlessly recursive is rejected`() {
    for rules in [
      "public <a> = <a> b;", "public <a> = b <a> c;", "public <a> = <c>;",
      "public <a> = <b><b><b><b><b><b><b><b>; <b> = <c><c><c><c><c><c><c><c>; "
        + "<c> = <d><d><d><d><d><d><d><d>; <d> = <e><e><e><e><e><e><e><e>; "
        + "<e> = <f><f><f><f><f><f><f><f>; <f> = x y z;",
    ] {
      #expect(throws: SpeechEngineError.self) {
        _ = try GrammarGraph(JSGFGrammar("#JSGF V1.0; \(rules)"))
      }
    }
  }

  @Test func `each node of a grammar with thousands of names is traversed only once`() throws {
    let names = (0..<10_000).map { "name\($0)" }.joined(separator: " | ")
    let graph = try GrammarGraph(JSGFGrammar("#JSGF V1.0; public <a> = call (\(names));"))
    let texts = ["", "", ""] + (0..<10_000).map { " name\($0)" } + [" call"]
    let tokenizer = Tokenizer(texts: texts.map { Array($0.utf8) })
    let start = GrammarProgress(graph)
    let first = tokenizer.tokens(readBy: start, reading: { $0.reading($1) })
    #expect(first.map(\.token) == [10_003])
    #expect(tokenizer.tokens(readBy: first[0].reader, reading: { $0.reading($1) }).count == 10_000)
  }
}

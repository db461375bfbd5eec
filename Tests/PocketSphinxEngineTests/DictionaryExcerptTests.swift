import Foundation
import Testing

@testable import PocketSphinxEngine

@Suite struct DictionaryExcerptTests {
  private func excerpt(of lines: [String], knownTo words: [String]) throws -> [String] {
    var vocabulary = Vocabulary()
    for word in words { vocabulary.insert(hash(word)) }
    let text = lines.map { $0 + "\n" }.joined()
    let file = try ModelBytes(Array(text.utf8))
    let excerpt = DictionaryFile.excerpt(of: file, knownTo: vocabulary)
    return String(decoding: excerpt, as: UTF8.self)
      .split(whereSeparator: \.isNewline).map(String.init)
  }

  private func hash(_ word: some StringProtocol) -> WordHash {
    word.utf8.reduce(into: WordHash()) { $0.add($1) }
  }

  @Test func `the words that are known are there with all ways to say them, and in order`() throws {
    let lines = ["a AH", "a(2) EY", "aback AH B AE K", "go\tG OW", "gob G AA B", "go(2) G OW OW\r"]
    #expect(
      try excerpt(of: lines, knownTo: ["go", "a"])
        == ["a AH", "a(2) EY", "go\tG OW", "go(2) G OW OW"])
  }

  @Test func `brackets are a part of the word where they do not end it, or are all of it`() throws {
    let lines = ["(go) G OW", "(a)b AH", "x(1)(2) EH", "x(1) EH", "x EH", "y) W"]
    #expect(try excerpt(of: lines, knownTo: ["(go)"]) == ["(go) G OW"])
    #expect(try excerpt(of: lines, knownTo: ["(a)b"]) == ["(a)b AH"])
    #expect(try excerpt(of: lines, knownTo: ["x(1)"]) == ["x(1)(2) EH"])
    #expect(try excerpt(of: lines, knownTo: ["x", "y)"]) == ["x(1) EH", "x EH", "y) W"])
  }

  @Test func `of the installed model it has the words of the language model and no others`() throws
  {
    let model = try ModelLocation(chosen: nil).find()
    let known = try LanguageModelFile(ModelBytes(path: model.language)).vocabulary
    let lines = try String(contentsOfFile: model.dictionary, encoding: .utf8)
      .split(separator: "\n")
    let wanted = lines.filter {
      let word = $0.prefix { $0 != " " }
      let isOther = word.hasSuffix(")") && !word.hasPrefix("(")
      return known.contains(hash(isOther ? word.prefix { $0 != "(" } : word))
    }
    let excerpt = try model.validate().knownWords
    #expect(String(decoding: excerpt, as: UTF8.self).split(separator: "\n") == wanted)
    #expect(!wanted.isEmpty && wanted.count < lines.count * 2 / 3)
  }
}

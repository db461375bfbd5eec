import Testing

@testable import PocketSphinxEngine

@Suite struct DictionaryWordTests {
  @Test func `the number of a pronunciation is no part of the word`() {
    #expect(DictionaryWord.text(of: "ten(2)") == "ten")
    #expect(DictionaryWord.text(of: "a(12)") == "a")
    #expect(DictionaryWord.text(of: "meters") == "meters")
    #expect(DictionaryWord.text(of: "go forward ") == "go forward")
  }

  @Test(arguments: ["<s>", "</s>", "<sil>", "[NOISE]", "[SPEECH]", "++breath++", "(NULL)", ""])
  func `markers for silence, noise, and nothing are no words`(entry: String) {
    #expect(DictionaryWord.text(of: entry) == nil)
  }
}

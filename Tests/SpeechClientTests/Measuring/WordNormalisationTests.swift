import SpeechClient
import Testing

struct WordNormalisationTests {
  @Test(arguments: [
    ("Don't, twenty-one!", ["don't", "twenty", "one"]),
    ("don’t", ["don't"]),
    ("'quoted' rock''n roll'", ["quoted", "rock", "n", "roll"]),
    ("  \n\t", []),
    ("' -- '", []),
    ("Étude für 3.5", ["étude", "für", "3", "5"]),
  ])
  func `spoken words have neither case nor punctuation`(text: String, words: [String]) {
    #expect(WordNormalisation.spoken.words(of: text) == words)
  }

  @Test
  func `written words stay as they are`() {
    #expect(
      WordNormalisation.written.words(of: "Don't,  twenty-one!\n") == ["Don't,", "twenty-one!"])
  }

  @Test
  func `a letter is the same composed and decomposed`() {
    #expect(WordErrorRate(reference: "caf\u{E9}", hypothesis: "cafe\u{301}").rate == 0)
  }
}

import Foundation
import Testing

@testable import MoonshineEngine

@Suite struct DecodedWordTests {
  private func words(_ tokens: [(String, Double)]) -> [DecodedWord] {
    let tokenizer = Tokenizer(texts: [[], [], []] + tokens.map { Array($0.0.utf8) })
    let text = DecodedText(
      tokens: tokens.indices.map { $0 + 3 }, logProbabilities: tokens.map { Float(log($0.1)) })
    return tokenizer.words(of: text)
  }

  @Test
  func `a word includes its punctuation, and has the lowest confidence of its spoken tokens`() {
    let words = words([
      (" Clo", 0.5), ("ves", 0.75), (",", 0.1), (" is", 1), ("n", 1), ("'t", 0.25),
    ])
    #expect(words.map(\.text) == ["Cloves,", "isn't"])
    #expect(words.map { (($0.confidence ?? 0) * 100).rounded() } == [50, 25])
  }

  @Test func `punctuation alone is not a word, and a text need not begin with a space`() {
    #expect(
      words([("go", 1), (" \u{2014}", 1), (" on", 1), (" \u{266A}", 1)]).map(\.text) == [
        "go", "on",
      ])
    #expect(words([(".", 1)]).isEmpty)
    #expect(words([]).isEmpty)
  }

  @Test func `each Japanese token is a word, and split characters are joined`() {
    #expect(words([(" 今日", 1), ("は", 1), ("、", 1), ("いい", 1)]).map(\.text) == ["今日", "は、", "いい"])
    let tokenizer = Tokenizer(texts: [[], [], [], Array(" 今".utf8), [0xE6], [0x97], [0xA5]])
    let text = DecodedText(tokens: [3, 4, 5, 6], logProbabilities: [0, 0, 0, 0])
    #expect(tokenizer.words(of: text).map(\.text) == ["今日"])
  }

  @Test func `an improbable contextual phrase may correct a text, but not replace it`() {
    func isForced(_ text: String, _ confidence: Double, over plain: String) -> Bool {
      let words = { (text: String, confidence: Double) in
        text.split(separator: " ").map { DecodedWord(text: String($0), confidence: confidence) }
      }
      return words(text, confidence).areForced(over: words(plain, 0.7))
    }
    #expect(isForced("Recognize speech.", 0.024, over: "Rec in my speech."))
    #expect(!isForced("Ten of clubs.", 0.004, over: "Ten of cloves."))
  }
}

import AudioCore
import SpeechEngine
import Testing

@testable import SpeechClientLive

@Suite struct PartialStabilizerTests {
  private typealias Word = SpeechHypothesis.Word

  /// Returns the words of a text, one after the other, each 0.2 s long.
  private func words(_ text: String) -> [Word] {
    text.split(separator: " ").enumerated().map { index, word in
      Word(String(word), frames: FrameCount(index * 3200)..<FrameCount((index + 1) * 3200))
    }
  }

  private func hypothesis(_ text: String, revision: Int? = nil) -> SpeechHypothesis {
    var hypothesis = SpeechHypothesis(words: words(text))
    hypothesis.revision = revision
    return hypothesis
  }

  /// Returns the number of stable words after each hypothesis; the hypotheses are a tenth of a
  /// second apart.
  private func counts(_ hypotheses: [String]) -> [Int] {
    var stabilizer = PartialStabilizer()
    return hypotheses.enumerated().map { index, text in
      stabilizer.add(hypothesis(text), processed: FrameCount((index + 10) * 1600))
      return stabilizer.stableCount
    }
  }

  @Test func `a word becomes stable after half a second without a change if another word follows`()
  {
    #expect(counts(Array(repeating: "go", count: 8)) == [0, 0, 0, 0, 0, 0, 0, 0])
    #expect(counts(Array(repeating: "go on", count: 7)) == [0, 0, 0, 0, 0, 1, 1])
    #expect(counts(["go on"] + Array(repeating: "no on", count: 6)) == [0, 0, 0, 0, 0, 0, 1])
  }

  @Test func `a word at a position that the engine keeps revising does not become stable`() {
    let calm = ["a b", "c b", "d b"] + Array(repeating: "d b", count: 6)
    #expect(counts(calm).last == 1)
    #expect(counts(["e b"] + calm).last == 0)
  }

  @Test func `a word that has just ended does not become stable`() {
    var stabilizer = PartialStabilizer()
    let words = words("go on")
    stabilizer.add(SpeechHypothesis(words: words), processed: 0)
    stabilizer.add(SpeechHypothesis(words: words), processed: 8000)
    #expect(stabilizer.stableCount == 1)
    var late = PartialStabilizer()
    var far = SpeechHypothesis(
      words: words.map {
        Word($0.text, frames: $0.frames.lowerBound + 5000..<$0.frames.upperBound + 5000)
      })
    late.add(far, processed: 0)
    late.add(far, processed: 8000)
    #expect(late.stableCount == 0)
    // Estimated times do not show whether a word has just ended, so two equal decodes suffice.
    far.hasEstimatedTimes = true
    late.add(far, processed: 8000)
    #expect(late.stableCount == 1)
  }

  /// Returns the number of stable words after two decodes of `text`, and then after a decode of
  /// `other`.
  private func counts(_ text: String, then other: String) -> [Int] {
    var stabilizer = PartialStabilizer()
    return [text, text, other].enumerated().map { index, text in
      stabilizer.add(hypothesis(text, revision: index), processed: FrameCount(index * 4800))
      return stabilizer.stableCount
    }
  }

  @Test(arguments: [
    ("I can not go on", "I cannot go on", [0, 4, 3]), ("I cannot go", "I can not go.", [0, 2, 3]),
    ("can't go on", "Cannot go on", [0, 2, 2]),
    ("go forward ten metres", "Go-forward 10 meters", [0, 3, 2]),
    ("that is two hundred fifty euros now", "That's 250 euros, now", [0, 6, 3]),
  ])
  func `words that are joined, split, or respelled stay stable`(
    text: String, later: String, expected: [Int]
  ) {
    #expect(counts(text, then: later) == expected)
  }

  @Test(arguments: [
    ("go on now", "no on now", [0, 2, 0]), ("go on then", "go one then", [0, 2, 1]),
    ("go on then", "go", [0, 2, 1]), ("go on then", "", [0, 2, 0]),
    ("it is two then", "it is two hundred", [0, 3, 2]),
  ])
  func `from the first word that the engine contradicts, words are no longer stable`(
    text: String, later: String, expected: [Int]
  ) {
    #expect(counts(text, then: later) == expected)
  }

  @Test(arguments: [("go 10 meters on", 1), ("10 meters", 0), ("at 2:30 pm then", 1)])
  func `words with digits and the words after them do not become stable`(
    text: String, expected: Int
  ) {
    #expect(counts(text, then: text) == [0, expected, expected])
  }

  @Test func `a number spoken as several words becomes stable only as a whole`() {
    #expect(counts("we can't", then: "we can't") == [0, 1, 1])
    #expect(counts("go nineteen eighty-four", then: "go nineteen eighty-four") == [0, 1, 1])
  }

  @Test func `adding the same decode again makes no word stable`() {
    var stabilizer = PartialStabilizer()
    for processed in stride(from: 16_000, through: 40_000, by: 1600) {
      stabilizer.add(hypothesis("go on", revision: 1), processed: FrameCount(processed))
      #expect(stabilizer.stableCount == 0)
    }
    stabilizer.add(hypothesis("go on", revision: 2), processed: 41_600)
    #expect(stabilizer.stableCount == 1)
  }

  /// Returns the number of stable words of "go on then" after each of 14 decodes with these
  /// confidences.
  private func counts(confidences: [Double]) -> [Int] {
    var stabilizer = PartialStabilizer()
    return (1...14).map { revision in
      var hypothesis = hypothesis("go on then", revision: revision)
      for (index, confidence) in confidences.enumerated() {
        hypothesis.words[index].confidence = confidence
      }
      stabilizer.add(hypothesis, processed: FrameCount(8_000 * revision))
      return stabilizer.stableCount
    }
  }

  @Test(arguments: [(0.99, 1), (0.95, 2), (0.75, 2), (0.65, 3), (0.6, 3), (0.5, 4), (0.3, 11)])
  func `a word of low confidence needs more decodes to become stable, and later words wait for it`(
    confidence: Double, needed: Int
  ) {
    let counts = counts(confidences: [confidence, 1, 1])
    #expect(counts.firstIndex { $0 > 0 } == needed - 1)
    #expect(Set(counts).isSubset(of: [0, 2]))
  }

  @Test(arguments: [(0.96, 1), (0.9, 2), (0.5, 2), (0.3, 4), (0.1, 10)])
  func `a word followed by a word of low confidence needs more decodes to become stable`(
    confidence: Double, needed: Int
  ) {
    let counts = counts(confidences: [1, confidence, 1])
    #expect(counts.firstIndex { $0 > 0 } == needed - 1)
  }

  @Test func `a frequently revised word becomes stable as soon as two decodes agree`() {
    var stabilizer = PartialStabilizer()
    for (index, word) in ["no", "so", "oh", "low", "go", "go"].enumerated() {
      let hypothesis = hypothesis("\(word) on", revision: index)
      stabilizer.add(hypothesis, processed: FrameCount(8_000 * (index + 1)))
    }
    #expect(stabilizer.stableCount == 1)
  }

  @Test
  func `without confidences, a word is stable after two numbered decodes, or after 0.5 s`() {
    var numbered = PartialStabilizer()
    numbered.add(hypothesis("go on", revision: 1), processed: 16_000)
    #expect(numbered.stableCount == 0)
    numbered.add(hypothesis("go on", revision: 2), processed: 22_400)
    #expect(numbered.stableCount == 1)
    var unnumbered = PartialStabilizer()
    unnumbered.add(hypothesis("go on"), processed: 16_000)
    unnumbered.add(hypothesis("go on"), processed: 22_400)
    #expect(unnumbered.stableCount == 0)
    unnumbered.add(hypothesis("go on"), processed: 24_000)
    #expect(unnumbered.stableCount == 1)
  }

  @Test func `a word with another spelling counts as the same word`() {
    let texts = ["isn't it so", "Isn\u{2019}t it so?", "ISN'T it, so"]
    var stabilizer = PartialStabilizer()
    for index in 0..<6 {
      stabilizer.add(hypothesis(texts[index % 3]), processed: FrameCount(16_000 + index * 1600))
    }
    #expect(stabilizer.stableCount == 2)
  }
}

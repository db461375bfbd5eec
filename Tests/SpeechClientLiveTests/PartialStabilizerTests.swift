import AudioCore
import SpeechEngine
import Testing

@testable import SpeechClientLive

@Suite struct PartialStabilizerTests {
  private typealias Word = SpeechHypothesis.Word

  /// Words of 0.2 s, one after the other.
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

  /// A stabilizer for which these words stay, but for the last.
  private func stabilizer(of text: String) -> PartialStabilizer {
    var stabilizer = PartialStabilizer()
    for index in 0..<6 {
      _ = stabilizer.add(hypothesis(text), processed: FrameCount(100_000 + index * 1600))
    }
    return stabilizer
  }

  /// How many words are stable after each hypothesis, a tenth of a second apart.
  private func counts(_ hypotheses: [String]) -> [Int] {
    var stabilizer = PartialStabilizer()
    return hypotheses.enumerated().map { index, text in
      _ = stabilizer.add(hypothesis(text), processed: FrameCount((index + 10) * 1600))
      return stabilizer.stableCount
    }
  }

  @Test func `a word stays once it has been the same for half a second and another has followed`() {
    #expect(counts(Array(repeating: "go", count: 8)) == [0, 0, 0, 0, 0, 0, 0, 0])
    #expect(counts(Array(repeating: "go on", count: 7)) == [0, 0, 0, 0, 0, 1, 1])
    #expect(counts(["go on"] + Array(repeating: "no on", count: 6)) == [0, 0, 0, 0, 0, 0, 1])
  }

  @Test func `a position that the engine keeps revising does not become stable`() {
    let calm = ["a b", "c b", "d b"] + Array(repeating: "d b", count: 6)
    #expect(counts(calm).last == 1)
    #expect(counts(["e b"] + calm).last == 0)
  }

  @Test func `a word that ended a moment ago does not become stable`() {
    var stabilizer = PartialStabilizer()
    let words = words("go on")
    _ = stabilizer.add(SpeechHypothesis(words: words), processed: 0)
    _ = stabilizer.add(SpeechHypothesis(words: words), processed: 8000)
    #expect(stabilizer.stableCount == 1)
    var late = PartialStabilizer()
    var far = SpeechHypothesis(
      words: words.map {
        Word($0.text, frames: $0.frames.lowerBound + 5000..<$0.frames.upperBound + 5000)
      })
    _ = late.add(far, processed: 0)
    _ = late.add(far, processed: 8000)
    #expect(late.stableCount == 0)
    // Where that is a guess, two decodes have to do.
    far.hasEstimatedTimes = true
    _ = late.add(far, processed: 8000)
    #expect(late.stableCount == 1)
  }

  @Test func `stable words come before the words that the engine has instead`() {
    var stabilizer = PartialStabilizer()
    for index in 0..<8 {
      _ = stabilizer.add(hypothesis("go on now"), processed: FrameCount(9600 + index * 1600))
    }
    #expect(stabilizer.stableCount == 2)
    let other = [
      Word("no", frames: 0..<5000), Word("one", frames: 5000..<8000),
      Word("here", frames: 8000..<9600),
    ]
    let kept = stabilizer.keeping(SpeechHypothesis(words: other)).words
    #expect(kept.map(\.text) == ["go", "on", "one", "here"])
    #expect(kept[2].frames == 6400..<8000)
    #expect(stabilizer.keeping(hypothesis("go on then")).texts == ["go", "on", "then"])
    #expect(stabilizer.keeping(SpeechHypothesis()).texts == ["go", "on"])
  }

  @Test func `reading the same decode again makes no word stable`() {
    var stabilizer = PartialStabilizer()
    for processed in stride(from: 16_000, through: 40_000, by: 1600) {
      _ = stabilizer.add(hypothesis("go on", revision: 1), processed: FrameCount(processed))
      #expect(stabilizer.stableCount == 0)
    }
    _ = stabilizer.add(hypothesis("go on", revision: 2), processed: 41_600)
    #expect(stabilizer.stableCount == 1)
  }

  @Test func `an unsure word needs a third decode, and the words after it wait for it`() {
    var stabilizer = PartialStabilizer()
    func add(_ revision: Int) -> Int {
      var hypothesis = hypothesis("go on then", revision: revision)
      hypothesis.words[0].confidence = 0.89
      hypothesis.words[1].confidence = 0.9
      _ = stabilizer.add(hypothesis, processed: FrameCount(8_000 * revision))
      return stabilizer.stableCount
    }
    #expect([add(1), add(2), add(3)] == [0, 0, 2])
  }

  @Test func `a position that changed often becomes stable as soon as decodes agree`() {
    var stabilizer = PartialStabilizer()
    for (index, word) in ["no", "so", "oh", "low", "go", "go"].enumerated() {
      let hypothesis = hypothesis("\(word) on", revision: index)
      _ = stabilizer.add(hypothesis, processed: FrameCount(8_000 * (index + 1)))
    }
    #expect(stabilizer.stableCount == 1)
  }

  @Test func `two decodes are enough where they are numbered, and else half a second`() {
    var numbered = PartialStabilizer()
    _ = numbered.add(hypothesis("go on", revision: 1), processed: 16_000)
    #expect(numbered.stableCount == 0)
    _ = numbered.add(hypothesis("go on", revision: 2), processed: 22_400)
    #expect(numbered.stableCount == 1)
    var unnumbered = PartialStabilizer()
    _ = unnumbered.add(hypothesis("go on"), processed: 16_000)
    _ = unnumbered.add(hypothesis("go on"), processed: 22_400)
    #expect(unnumbered.stableCount == 0)
    _ = unnumbered.add(hypothesis("go on"), processed: 24_000)
    #expect(unnumbered.stableCount == 1)
  }

  @Test func `a word with another spelling is the same`() {
    let texts = ["isn't it so", "Isn\u{2019}t it so?", "ISN'T it, so"]
    var stabilizer = PartialStabilizer()
    for index in 0..<6 {
      _ = stabilizer.add(hypothesis(texts[index % 3]), processed: FrameCount(16_000 + index * 1600))
    }
    #expect(stabilizer.stableCount == 2)
    let final = hypothesis("Isn't it? 250 euros.")
    #expect(stabilizer.keeping(final) == final)
  }

  @Test(arguments: [
    ("e-mail", "email"), ("\u{201C}Yes!\u{201D}", "yes"), ("caf\u{E9}", "Cafe\u{301}."),
    ("...", "..."),
  ])
  func `case, hyphens, and outer punctuation make no other word`(one: String, other: String) {
    #expect(one.wordKey == other.wordKey)
  }

  @Test(arguments: [
    ("we're", "were"), ("2.5", "25"), ("$5", "5"), ("-", "..."), ("250", "two"), ("c++", "c"),
  ])
  func `other letters, digits, or inner punctuation make another word`(one: String, other: String) {
    #expect(one.wordKey != other.wordKey)
  }

  @Test(arguments: [
    // Joined, split, with a word before, without one, and with others instead.
    ("I can not go", "I cannot go.", "I can not go."),
    ("someone is here", "Some one is here.", "someone is here."),
    ("go on then", "Well, go on then!", "go on then!"),
    ("well go on then", "Go on then!", "well go on then!"),
    ("a b c d", "x y z d e", "a b c d e"),
    ("a b c d", "", "a b c"),
  ])
  func `a hypothesis with other words instead of stable ones continues after them`(
    stable: String, later: String, expected: String
  ) {
    // The times are a guess and do not matter here.
    var later = hypothesis(later)
    later.hasEstimatedTimes = true
    let kept = stabilizer(of: stable).keeping(later)
    #expect(kept.texts.joined(separator: " ") == expected)
  }

  @Test func `with measured times, the hypothesis continues where the stable words end`() {
    let later = SpeechHypothesis(words: [
      Word("That", frames: 0..<3200), Word("is", frames: 3200..<6400),
      Word("250", frames: 6400..<16_000), Word("euros.", frames: 16_000..<20_000),
    ])
    let kept = stabilizer(of: "that is two hundred fifty euros").keeping(later)
    #expect(kept.texts == ["that", "is", "two", "hundred", "fifty", "euros."])
  }

  @Test func `stable words with estimated times make all times estimates`() {
    var stabilizer = PartialStabilizer()
    var guess = hypothesis("go on now")
    guess.hasEstimatedTimes = true
    for processed in [16_000, 24_000] {
      _ = stabilizer.add(guess, processed: FrameCount(processed))
    }
    #expect(!stabilizer.keeping(hypothesis("Go on now")).hasEstimatedTimes)
    #expect(stabilizer.keeping(hypothesis("no one")).hasEstimatedTimes)
  }
}

extension SpeechHypothesis {
  fileprivate var texts: [String] { words.map(\.text) }
}

import AudioCore
import SpeechEngine
import Testing

@testable import VoskEngine

@Suite struct UtteranceAssemblyTests {
  private func hypothesis(_ text: String, _ start: Double, likelihood: Double? = nil)
    -> VoskResult.Hypothesis
  {
    let words = text.split(separator: " ").enumerated().map { index, word in
      VoskResult.Word(
        word: String(word), start: start + Double(index), end: start + Double(index) + 0.5)
    }
    return VoskResult.Hypothesis(text: text, result: words, confidence: likelihood)
  }

  private func texts(_ words: [[SpeechHypothesis.Word]]) -> [String] {
    words.map { $0.map(\.text).joined(separator: " ") }
  }

  @Test func `each alternative differs in one segment, and the likeliest comes first`() {
    var assembly = UtteranceAssembly()
    assembly.add(32_000)
    assembly.endSegment([
      hypothesis("a b", 0, likelihood: 90), hypothesis("a c", 0, likelihood: 80),
      hypothesis("a d", 0, likelihood: 50),
    ])
    assembly.add(32_000)
    assembly.endSegment([hypothesis("e", 2, likelihood: 10), hypothesis("f", 2, likelihood: -10)])
    #expect(texts([assembly.words]) == ["a b e"])
    #expect(texts(assembly.alternatives) == ["a c e", "a b f", "a d e"])
  }

  @Test func `alternatives with the same words appear once`() {
    var assembly = UtteranceAssembly()
    assembly.add(32_000)
    assembly.endSegment([
      hypothesis("a", 0), hypothesis("a", 1), hypothesis("b", 0), hypothesis("b", 1),
    ])
    #expect(texts(assembly.alternatives) == ["b"])
  }

  @Test func `words without times last at most half a second each`() {
    var assembly = UtteranceAssembly()
    assembly.add(160_000)
    assembly.endSegment([VoskResult.Hypothesis(text: "a b")])
    #expect(assembly.words.map(\.frames) == [0..<8_000, 8_000..<16_000])
  }

  @Test func `the marks for silence and noise are not words, in any model`() {
    var assembly = UtteranceAssembly()
    assembly.add(160_000)
    assembly.endSegment([hypothesis("!SIL a [unk] <UNK> <SPOKEN_NOISE> [2] b !SIL", 0)])
    #expect(texts([assembly.words]) == ["a b"])
  }
}

import AudioCore
import SpeechEngine
import Testing

@testable import VoskEngine

@Suite struct UtteranceAssemblyTests {
  private func reading(_ text: String, _ start: Double, likelihood: Double? = nil)
    -> VoskAnswer.Reading
  {
    let words = text.split(separator: " ").enumerated().map { index, word in
      VoskAnswer.Word(
        word: String(word), start: start + Double(index), end: start + Double(index) + 0.5)
    }
    return VoskAnswer.Reading(text: text, result: words, confidence: likelihood)
  }

  private func texts(_ words: [[SpeechHypothesis.Word]]) -> [String] {
    words.map { $0.map(\.text).joined(separator: " ") }
  }

  @Test func `alternatives differ in one stretch, the likelier first`() {
    var assembly = UtteranceAssembly()
    assembly.begin()
    assembly.add(32_000)
    assembly.endStretch([
      reading("a b", 0, likelihood: 90), reading("a c", 0, likelihood: 80),
      reading("a d", 0, likelihood: 50),
    ])
    assembly.add(32_000)
    assembly.endStretch([reading("e", 2, likelihood: 10), reading("f", 2, likelihood: -10)])
    #expect(texts([assembly.words]) == ["a b e"])
    #expect(texts(assembly.alternatives) == ["a c e", "a b f", "a d e"])
  }

  @Test func `readings of the same words are one`() {
    var assembly = UtteranceAssembly()
    assembly.begin()
    assembly.add(32_000)
    assembly.endStretch([reading("a", 0), reading("a", 1), reading("b", 0), reading("b", 1)])
    #expect(texts(assembly.alternatives) == ["b"])
  }

  @Test func `words without times are no longer than half a second`() {
    var assembly = UtteranceAssembly()
    assembly.begin()
    assembly.add(160_000)
    assembly.endStretch([VoskAnswer.Reading(text: "a b")])
    #expect(assembly.words.map(\.frames) == [0..<8_000, 8_000..<16_000])
  }

  @Test func `marks of all kinds of models are no words`() {
    var assembly = UtteranceAssembly()
    assembly.begin()
    assembly.add(160_000)
    assembly.endStretch([reading("!SIL a [unk] <UNK> <SPOKEN_NOISE> [2] b !SIL", 0)])
    #expect(texts([assembly.words]) == ["a b"])
  }

  @Test func `a new utterance knows nothing of the last`() {
    var assembly = UtteranceAssembly()
    assembly.begin()
    assembly.add(16_000)
    assembly.show(reading("a", 0))
    #expect(texts([assembly.words]) == ["a"])
    assembly.begin()
    #expect(assembly.words.isEmpty)
    assembly.add(16_000)
    assembly.endStretch([reading("b", 1.25)])
    #expect(assembly.words.map(\.frames) == [4_000..<12_000])
  }
}

import AudioCore
import Testing

@testable import SpeechEngine

@Suite struct WordsTests {
  private func voice(_ pieces: [(Float, Int)]) -> Range<FrameCount> {
    var span = VoicedSpan()
    for (level, count) in pieces { span.add([Float](repeating: level, count: count)) }
    return span.frames
  }

  @Test
  func `the voice lasts from the first to the last loud step, including quiet steps in between`() {
    #expect(
      voice([(0.001, 1600), (0.5, 320), (0.001, 160), (0.4, 320), (0.001, 1600)]) == 1600..<2400)
    #expect(voice([(0, 50), (0.5, 50), (0, 60), (0, 100)]) == 0..<160)
    #expect(voice([(0, 1000)]) == 0..<1000)
    #expect(voice([]) == 0..<0)
  }

  @Test func `a word next to a pause is extended to the edge of the voice, across short dips`() {
    func fitted(_ words: [Range<Int>], _ pieces: [(Float, Int)]) -> [Range<Int>] {
      var span = VoicedSpan()
      for (level, count) in pieces { span.add([Float](repeating: level, count: count * 160)) }
      return span.fitting(
        words.map { FrameCount($0.lowerBound * 160)..<FrameCount($0.upperBound * 160) }
      ).compactMap(\.self).map { $0.lowerBound.rawValue / 160..<$0.upperBound.rawValue / 160 }
    }
    let sound: [(Float, Int)] = [(0, 20), (0.5, 20), (0, 5), (0.5, 5), (0, 50), (0.5, 20), (0, 30)]
    #expect(fitted([10..<35, 105..<120], sound) == [20..<50, 100..<120])
    // In noise, the steps that are louder than the noise are the voice. Adjacent words only lose
    // silence; they are not extended.
    let noisy = sound.map { ($0.0 == 0 ? 0.1 : $0.0, $0.1) }
    #expect(fitted([10..<35, 105..<120], noisy) == [20..<50, 100..<120])
    #expect(fitted([12..<60, 60..<140], sound) == [20..<50, 100..<120])
    #expect(fitted([20..<45, 45..<50], sound) == [20..<45, 45..<50])
    // If a sound lies between two words, only the first word is extended over the sound.
    let between: [(Float, Int)] = [
      (0, 20), (0.5, 20), (0, 5), (0.5, 5), (0, 5), (0.5, 20), (0, 30),
    ]
    #expect(fitted([20..<40, 55..<75], between) == [20..<50, 55..<75])
    #expect(fitted([], sound).isEmpty && fitted([], []).isEmpty)
  }

  @Test func `words are spread over the voice in proportion to their letters`() {
    let words = SpeechHypothesis.Word.spread(["go", "forward", "ten"], over: 1000..<16_000)
    #expect(words.map(\.frames) == [1000..<4000, 4000..<12_000, 12_000..<16_000])
    #expect(words.allSatisfy { $0.confidence == nil })
    #expect(SpeechHypothesis.Word.spread([], over: 0..<10).isEmpty)
    #expect(SpeechHypothesis.Word.spread(["a", "b"], over: 5..<5).map(\.frames) == [5..<5, 5..<5])
  }

  @Test func `no word is longer than a second`() {
    let words = SpeechHypothesis.Word.spread(["yes", "no"], over: 0..<160_000)
    #expect(words.allSatisfy { $0.frames.upperBound - $0.frames.lowerBound <= 16_000 })
  }
}

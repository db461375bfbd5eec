import AudioCore
import SpeechEngine
import Testing

@testable import SpeechClientLive

@Suite struct PartialStabiliserTests {
  private typealias Word = SpeechHypothesis.Word

  /// Words of 0.2 s, one after the other.
  private func words(_ text: String) -> [Word] {
    text.split(separator: " ").enumerated().map { index, word in
      Word(String(word), frames: FrameCount(index * 3200)..<FrameCount((index + 1) * 3200))
    }
  }

  /// How many words are stable after each hypothesis, a tenth of a second apart.
  private func counts(_ hypotheses: [String]) -> [Int] {
    var stabiliser = PartialStabiliser()
    return hypotheses.enumerated().map { index, text in
      _ = stabiliser.add(words(text), heard: FrameCount((index + 10) * 1600))
      return stabiliser.stableCount
    }
  }

  @Test func `a word stays once it has been the same for half a second and another has followed`() {
    #expect(counts(Array(repeating: "go", count: 8)) == [0, 0, 0, 0, 0, 0, 0, 0])
    #expect(counts(Array(repeating: "go on", count: 7)) == [0, 0, 0, 0, 0, 1, 1])
    #expect(counts(["go on"] + Array(repeating: "no on", count: 6)) == [0, 0, 0, 0, 0, 0, 1])
  }

  @Test func `a place that the engine revises again and again does not stay`() {
    let calm = ["a b", "c b", "d b"] + Array(repeating: "d b", count: 6)
    #expect(counts(calm).last == 1)
    #expect(counts(["e b"] + calm).last == 0)
  }

  @Test func `a word that is not long over does not stay`() {
    var stabiliser = PartialStabiliser()
    let words = words("go on")
    _ = stabiliser.add(words, heard: 0)
    _ = stabiliser.add(words, heard: 8000)
    #expect(stabiliser.stableCount == 1)
    var late = PartialStabiliser()
    let far = words.map {
      Word($0.text, frames: $0.frames.lowerBound + 5000..<$0.frames.upperBound + 5000)
    }
    _ = late.add(far, heard: 0)
    _ = late.add(far, heard: 8000)
    #expect(late.stableCount == 0)
  }

  @Test func `what stays is put in front of what the engine says instead`() {
    var stabiliser = PartialStabiliser()
    for index in 0..<8 {
      _ = stabiliser.add(words("go on now"), heard: FrameCount(9600 + index * 1600))
    }
    #expect(stabiliser.stableCount == 2)
    let other = [
      Word("no", frames: 0..<5000), Word("one", frames: 5000..<8000),
      Word("here", frames: 8000..<9600),
    ]
    let kept = stabiliser.keeping(other)
    #expect(kept.map(\.text) == ["go", "on", "one", "here"])
    #expect(kept[2].frames == 6400..<8000)
    #expect(stabiliser.keeping(words("go on then")).map(\.text) == ["go", "on", "then"])
    #expect(stabiliser.keeping([]).map(\.text) == ["go", "on"])
  }
}

import AudioCore
import SpeechEngine
import Testing

@testable import SpeechClientLive

@Suite struct PartialStabiliserTests {
  private func shown(_ hypotheses: [String]) -> [String?] {
    var stabiliser = PartialStabiliser()
    return hypotheses.map { text in
      let words = text.split(separator: " ").map {
        SpeechHypothesis.Word(String($0), frames: 0..<1)
      }
      return stabiliser.add(words)?.map(\.text).joined(separator: " ")
    }
  }

  @Test func `a word is shown once three hypotheses in a row agree on it`() {
    #expect(
      shown(["go", "go", "go", "go for", "go forward", "go forward", "go forward"])
        == [nil, nil, "go", nil, nil, nil, "go forward"])
  }

  @Test func `what is shown is told once`() {
    #expect(shown(["go", "go", "go", "go", "go"]) == [nil, nil, "go", nil, nil])
  }

  @Test func `words are not taken back while the engine only doubts them`() {
    #expect(shown(["go on", "go on", "go on", "go", "go on"]) == [nil, nil, "go on", nil, nil])
  }

  @Test func `words are replaced once the engine is steady about others`() {
    #expect(
      shown(["no", "no", "no", "go", "go", "go"]) == [nil, nil, "no", nil, nil, "go"])
  }
}

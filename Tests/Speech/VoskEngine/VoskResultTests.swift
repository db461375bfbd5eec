import SpeechEngine
import Testing

@testable import VoskEngine

@Suite struct VoskResultTests {
  private func result(_ text: String) throws -> VoskResult {
    try VoskResult(json: Array(text.utf8))
  }

  @Test func `a result without alternatives is read as one hypothesis`() throws {
    let whole = try result(
      #"{"result":[{"conf":0.5,"end":1.5,"start":1,"word":"ä"}],"text":"ä","spk":[1],"new":{}}"#)
    #expect(
      whole.hypotheses == [
        .init(text: "ä", result: [.init(word: "ä", start: 1, end: 1.5, conf: 0.5)])
      ])
    let text = try #require(try result(#"{"text" : " go  on"}"#).hypotheses?.first)
    #expect(text.words == [.init(word: "go"), .init(word: "on")])
    #expect(whole.partialHypothesis == nil)
  }

  @Test func `alternatives are read as hypotheses with likelihoods`() throws {
    let hypotheses = try result(
      #"{"alternatives":[{"confidence":-8.5,"text":"a"},{"confidence":-9,"text":"b"}]}"#
    ).hypotheses
    #expect(hypotheses?.map(\.text) == ["a", "b"])
    #expect(hypotheses?.map(\.confidence) == [-8.5, -9])
  }

  @Test func `a partial result is read as a partial hypothesis, not as final hypotheses`() throws {
    let partial = try result(
      #"{"partial":"go","partial_result":[{"conf":1,"end":2,"start":1,"word":"go"}]}"#)
    #expect(partial.partialHypothesis?.words == [.init(word: "go", start: 1, end: 2, conf: 1)])
    #expect(partial.hypotheses == nil)
  }

  @Test(arguments: [
    #"{"text": ""}"#, #"{"alternatives" : [{"text": "", "confidence" : 1.0}] }"#,
    #"{"partial" : ""}"#,
  ])
  func `a result without text is read as a partial hypothesis without words`(
    text: String
  ) throws {
    let hypothesis = try #require(try result(text).partialHypothesis)
    #expect(hypothesis.words.isEmpty)
  }
}

import SpeechEngine
import Testing

@testable import VoskEngine

@Suite struct VoskAnswerTests {
  private func answer(_ text: String) throws -> VoskAnswer {
    try VoskAnswer(json: Array(text.utf8))
  }

  @Test func `a result has one reading, with or without its words`() throws {
    let whole = try answer(
      #"{"result":[{"conf":0.5,"end":1.5,"start":1,"word":"ä"}],"text":"ä","spk":[1],"new":{}}"#)
    #expect(
      whole.readings == [
        .init(text: "ä", result: [.init(word: "ä", start: 1, end: 1.5, conf: 0.5)])
      ])
    let text = try #require(try answer(#"{"text" : " go  on"}"#).readings?.first)
    #expect(text.words == [.init(word: "go"), .init(word: "on")])
    #expect(whole.partialReading == nil)
  }

  @Test func `alternatives are readings with a likelihood`() throws {
    let readings = try answer(
      #"{"alternatives":[{"confidence":-8.5,"text":"a"},{"confidence":-9,"text":"b"}]}"#
    ).readings
    #expect(readings?.map(\.text) == ["a", "b"])
    #expect(readings?.map(\.confidence) == [-8.5, -9])
  }

  @Test func `a partial result is a reading of its own`() throws {
    let partial = try answer(
      #"{"partial":"go","partial_result":[{"conf":1,"end":2,"start":1,"word":"go"}]}"#)
    #expect(partial.partialReading?.words == [.init(word: "go", start: 1, end: 2, conf: 1)])
    #expect(partial.readings == nil)
  }

  @Test(arguments: [
    #"{"text": ""}"#, #"{"alternatives" : [{"text": "", "confidence" : 1.0}] }"#,
    #"{"partial" : ""}"#,
  ])
  func `an answer before any audio is a partial result without words`(
    text: String
  ) throws {
    let reading = try #require(try answer(text).partialReading)
    #expect(reading.words.isEmpty)
  }
}

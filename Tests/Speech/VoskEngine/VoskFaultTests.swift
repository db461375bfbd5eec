import AudioCore
import Foundation
import SpeechEngine
import Testing

@testable import VoskEngine

/// The errors of a library that misbehaves.
@Suite(.timeLimit(.minutes(5))) struct VoskFaultTests {
  private func failure(of vosk: FakeVosk) -> SpeechEngineError? {
    do {
      _ = try vosk.engine.makeSession(SpeechSessionOptions()).understand(speech(.go))
      return nil
    } catch {
      return error as? SpeechEngineError
    }
  }

  private func reason(_ vosk: FakeVosk) -> String? {
    if case .failed(let reason) = failure(of: vosk) { reason } else { nil }
  }

  @Test(arguments: [
    ("", "not the expected JSON"), ("{", "not the expected JSON"), ("[]", "not the expected JSON"),
    (#"{"text":"go""#, "not the expected JSON"), (#"{"text":7}"#, "not the expected JSON"),
    (#"{"text":"go","result":[{}]}"#, "not the expected JSON"),
    (#"{"text":"go","result":[{"word":"go","start":1e999,"end":1}]}"#, "not the expected JSON"),
    (#"{"partial":"go"}"#, "no text"), ("{}", "no text"),
  ])
  func `an invalid result fails the session`(text: String, reason: String) throws {
    let vosk = try FakeVosk()
    try vosk.answer("result", Array(text.utf8))
    let said = try #require(self.reason(vosk))
    #expect(said.contains(reason))
  }

  @Test func `a result that is not UTF-8 fails the session`() throws {
    let vosk = try FakeVosk()
    try vosk.answer("result", Array(#"{"text":""#.utf8) + [0xFF, 0xC0] + Array(#""}"#.utf8))
    #expect(reason(vosk) == "libvosk's result is not UTF-8")
  }

  @Test func `a result of deeply nested lists fails the session`() throws {
    let vosk = try FakeVosk()
    try vosk.answer("result", [UInt8](repeating: UInt8(ascii: "["), count: 500_000))
    #expect(reason(vosk) != nil)
  }

  @Test func `a result of 32 MiB fails the session`() throws {
    #expect(reason(try FakeVosk(script: ["endless"])) == "libvosk's result has no end")
  }

  @Test func `an invalid partial result fails the session`() throws {
    let vosk = try FakeVosk()
    try vosk.answer("partial", Array(#"{"text":"go"}"#.utf8))
    #expect(reason(vosk) == "libvosk's partial result has no text")
  }

  @Test(arguments: ["result", "partial"])
  func `a missing result fails the session`(what: String) throws {
    #expect(reason(try FakeVosk(script: ["null \(what)"])) == "libvosk returned no result")
  }

  @Test func `a missing recognizer fails the session`() throws {
    #expect(reason(try FakeVosk(script: ["null recognizer"])) == "libvosk made no recognizer")
  }

  @Test
  func `a model that does not load is reported as damaged, and the next session loads it again`()
    throws
  {
    let vosk = try FakeVosk(script: ["null model"])
    let engine = vosk.engine
    for _ in 0..<2 {
      #expect {
        try engine.makeSession(SpeechSessionOptions())
      } throws: { error in
        guard case .modelDamaged(vosk.model.path, _) = error as? SpeechEngineError else {
          return false
        }
        return true
      }
    }
    try "".write(
      to: vosk.model.appending(path: "script"), atomically: true, encoding: .utf8)
    #expect(try engine.makeSession(SpeechSessionOptions()).understand(speech(.go)).texts == ["go"])
  }

  @Test func `rejected audio fails the session`() throws {
    #expect(
      reason(try FakeVosk(script: ["accept -1"])) == "libvosk cannot process the audio (-1)")
  }

  @Test func `absurd times are clamped to the utterance`() throws {
    let vosk = try FakeVosk()
    try vosk.answer(
      "result",
      Array(
        """
        {"text":"a b c","result":[{"word":"a","start":-5,"end":1e300,"conf":7},
        {"word":"b","start":1e300,"end":0.1,"conf":-1},{"word":"c","start":0.2,"end":0.1}]}
        """.utf8))
    let recognized = try vosk.engine.makeSession(SpeechSessionOptions()).understand(
      speech(.go, silence: .zero))
    let end = FrameCount(5_600)
    #expect(recognized.words.map(\.frames) == [0..<end, end..<end, 3_200..<3_200])
    #expect(recognized.words.map(\.confidence) == [1, 0, nil])
  }
}

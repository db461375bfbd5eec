import ListeningFeatures
import SyrinxTestSupport
import Testing

/// Tests the feature's text at each moment, on a recognizer that follows the test's clock.
@MainActor @Suite struct ScriptedDictationTests {
  let clock = TestClock()

  @Test func `a draft becomes a line when its utterance ends`() async throws {
    let script = SpeechScript()
      .saying(ScriptedUtterance("go forward"), at: .seconds(1))
      .saying(ScriptedUtterance("stop"), at: .seconds(4))
    try await withDependencies {
      $0.continuousClock = clock
      $0.speechClient = .scripted(script)
    } operation: {
      let dictation = Dictation()
      let listening = Task { try await dictation.listen() }
      await clock.sleepers(atLeast: 1)
      #expect(dictation.lines == [] && dictation.draft == "")
      // The utterance begins at 1 s: two words of 200 ms each, and then a silence of 600 ms.
      await clock.advance(by: .milliseconds(1_400))
      await clock.sleepers(atLeast: 1)
      #expect(dictation.draft == "go forward")
      await clock.advance(by: .milliseconds(600))
      await clock.sleepers(atLeast: 1)
      #expect(dictation.lines == ["go forward"] && dictation.draft == "")
      await clock.advance(by: .seconds(10))
      try await listening.value
      #expect(dictation.lines == ["go forward", "stop"])
    }
  }
}

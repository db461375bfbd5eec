import AudioThreads
import ListeningFeatures
import Syrinx
import SyrinxTestSupport
import Testing

/// Tests the feature on streams that the tests write, without hardware, models, or delays.
@MainActor @Suite struct DictationTests {
  @Test func `final results become lines, and a partial result is the draft`() async throws {
    let (events, said) = AsyncThrowingStream<SpeechRecognitionEvent, any Error>.makeStream()
    let dictation = withDependencies {
      $0.speechClient.recognition = { _ in events }
    } operation: {
      Dictation()
    }
    said.yield(.result(SpeechRecognitionResult("go for", isFinal: false)))
    said.yield(.result(SpeechRecognitionResult("go forward", isFinal: true)))
    said.yield(.result(SpeechRecognitionResult("stop", isFinal: true)))
    said.yield(.result(SpeechRecognitionResult("turn", isFinal: false)))
    said.finish()
    try await dictation.listen()
    #expect(dictation.lines == ["go forward", "stop"])
    #expect(dictation.draft == "turn")
    #expect(!dictation.isListening)
  }

  @Test func `a dropped utterance leaves no draft`() async throws {
    let dictation = withDependencies {
      $0.speechClient.recognition = { _ in
        AsyncThrowingStream { said in
          said.yield(.result(SpeechRecognitionResult("go for", isFinal: false)))
          said.yield(
            .dropped(.zero ..< .seconds(2), reason: .engineFailed(.engineFailed(reason: "crash"))))
          said.yield(.speechEnded(at: .seconds(2)))
          said.finish()
        }
      }
    } operation: {
      Dictation()
    }
    try await dictation.listen()
    #expect(dictation.lines.isEmpty && dictation.draft.isEmpty)
  }

  @Test func `a canceled dictation releases the microphone`() async throws {
    let (opened, released) = (Gate(), Gate())
    // The real recognizer, with the test's own microphone and engine.
    await withDependencies {
      $0.audioRecorder.capture = { _ in
        let (microphone, captured) = AsyncThrowingStream<CapturedAudio, any Error>.makeStream()
        captured.onTermination = { _ in released.open() }
        captured.yield(
          CapturedAudio(buffer: AudioBuffer(silence: 160, format: .speech), time: .zero))
        opened.open()
        return microphone
      }
      $0.speechEngine = ScriptedSpeechEngine(utterances: []).engine
      $0.speechClient = .liveValue
    } operation: {
      let dictation = Dictation()
      let listening = Task { try await dictation.listen() }
      await opened.wait()
      #expect(dictation.isListening)
      listening.cancel()
      _ = await listening.result
      await released.wait()
      #expect(!dictation.isListening)
      #expect(dictation.lines.isEmpty)
    }
  }
}

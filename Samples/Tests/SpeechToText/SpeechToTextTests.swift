import ReducersMacros
import Syrinx
import SyrinxTestSupport
import Testing

@testable import SpeechToText

/// Tests the feature on a scripted recognizer, and on the real recognizer with a sound card and an
/// engine in memory.
@MainActor @Suite(.timeLimit(.minutes(1))) struct SpeechToTextTests {
  let clock = TestClock()

  @Test func `a draft becomes a line, and stopping closes the microphone`() async {
    let (events, said) = AsyncThrowingStream<SpeechRecognitionEvent, any Error>.makeStream()
    let store = TestStore(initialState: SpeechToText.State()) {
      SpeechToText()
    } withDependencies: {
      $0.continuousClock = clock
      $0.speechClient.requestAuthorization = { .authorized }
      $0.speechClient.recognition = { _ in events }
      $0.speechClient.finishTask = { said.finish() }
    }
    await store.send(.listenTapped) { $0.microphone = .opening }
    await store.receive(\.authorization, .authorized) { $0.microphone = .open(for: .zero) }
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(1))
    await store.receive(\.ticked) { $0.microphone = .open(for: .seconds(1)) }
    said.yield(.result(SpeechRecognitionResult("go", isFinal: false)))
    await store.receive(\.event) { $0.draft = "go" }
    said.yield(.result(SpeechRecognitionResult("go forward", isFinal: true)))
    await store.receive(\.event) {
      $0.draft = ""
      $0.lines = ["go forward"]
    }
    await store.send(.stopTapped)
    await store.receive(\.ended) { $0.microphone = .closed }
  }

  @Test func `without a model, an alert gives the reason, and listening can be tried again`() async
  {
    let store = TestStore(initialState: SpeechToText.State()) {
      SpeechToText()
    } withDependencies: {
      $0.speechClient.requestAuthorization = { .denied(reason: "there is no model") }
    }
    await store.send(.listenTapped) { $0.microphone = .opening }
    await store.receive(\.authorization) { state in
      state.microphone = .closed
      state.alert = .failed("denied: there is no model")
    }
    store.dependencies.speechClient.requestAuthorization = {
      try? await Task.never()
      return .restricted(reason: "cancelled")
    }
    await store.send(.alert(.presented(.tryAgain))) {
      $0.alert = nil
      $0.microphone = .opening
    }
    await store.send(.stopTapped) { $0.microphone = .closed }
    // A second tap changes nothing, and leaves no effect running.
    await store.send(.stopTapped)
    await store.finish()
  }

  @Test func `an engine that fails ends listening with an alert and without a draft`() async {
    let script = SpeechScript()
      .saying(ScriptedUtterance("go forward"), at: .seconds(1))
      .failing(SpeechClientError.engineFailed(reason: "crash"), at: .seconds(9))
    let store = TestStore(initialState: SpeechToText.State()) {
      SpeechToText()
    } withDependencies: {
      $0.continuousClock = clock
      $0.speechClient = .scripted(script)
    }
    store.exhaustivity = .off
    await store.send(.listenTapped)
    await store.receive(\.authorization)
    await clock.sleepers(atLeast: 2)
    await clock.advance(by: .seconds(10))
    await store.receive(\.failed, "speech recognition failed: crash")
    #expect(store.state.lines == ["go forward"])
    #expect(store.state.draft == "" && store.state.microphone == .closed)
    #expect(store.state.alert != nil)
  }

  @Test func `speech on a sound card becomes a line, and listening ends with the microphone`()
    async
  {
    // Two seconds of silence, a second of sound, and two of silence.
    let spoken = AudioSignal { frame, rate in
      guard frame / rate.hertz == 2 else { return 0 }
      return frame / 20 % 2 == 0 ? 0.5 : -0.5
    }
    let sound = spoken.buffer(.seconds(5), format: .speech)
    let card = VirtualSoundCard(pace: .untimed, microphone: .buffer(sound))
    let store = TestStore(initialState: SpeechToText.State()) {
      SpeechToText()
    } withDependencies: {
      $0.audioRecorder = .liveValue
      // The recorder measures the timeout of a lost device with this clock.
      $0.continuousClock = ContinuousClock()
      $0.soundCard = card.soundCard
      $0.speechClient = .liveValue
      $0.speechEngine = ScriptedSpeechEngine(utterances: [ScriptedUtterance("go forward")]).engine
    }
    (store.exhaustivity, store.timeout) = (.off, .seconds(50))
    await store.send(.listenTapped)
    await store.receive(\.ended)
    #expect(store.state.lines == ["go forward"])
    #expect(store.state.microphone == .closed)
  }
}

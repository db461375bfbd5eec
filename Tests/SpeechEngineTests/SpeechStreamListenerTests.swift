import SpeechEngine
import Testing

@Suite struct SpeechStreamListenerTests {
  @Test func `it knows as little after an utterance as before, and wants what the sessions want`() {
    let listener: any SpeechStreamListener = IndependentUtterances(tailPadding: .seconds(1))
    listener.add([[0.5]])
    #expect(listener.knowledge is Void)
    #expect(listener.tailPadding == .seconds(1))
    #expect(IndependentUtterances().tailPadding == .zero)
  }
}

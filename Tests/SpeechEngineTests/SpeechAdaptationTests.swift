import SpeechEngine
import Testing

@Suite struct SpeechAdaptationTests {
  @Test func `it knows as little after an utterance as before, and wants what the sessions want`() {
    let adaptation: any SpeechAdaptation = NoAdaptation(tailPadding: .seconds(1))
    adaptation.add([[0.5]])
    #expect(adaptation.state is Void)
    #expect(adaptation.tailPadding == .seconds(1))
    #expect(NoAdaptation().tailPadding == .zero)
  }
}

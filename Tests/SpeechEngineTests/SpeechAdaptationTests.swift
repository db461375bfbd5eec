import SpeechEngine
import Testing

@Suite struct SpeechAdaptationTests {
  @Test
  func `no adaptation has the same state after an utterance, and the tail padding of its sessions`()
  {
    let adaptation: any SpeechAdaptation = NoAdaptation(tailPadding: .seconds(1))
    adaptation.add([[0.5]])
    #expect(adaptation.state is Void)
    #expect(adaptation.tailPadding == .seconds(1))
    #expect(NoAdaptation().tailPadding == .zero)
  }
}

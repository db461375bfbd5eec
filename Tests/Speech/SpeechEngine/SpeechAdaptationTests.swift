import SpeechEngine
import Testing

@Suite struct SpeechAdaptationTests {
  @Test
  func `NoAdaptation keeps no state, and has the tail padding that it was given`() {
    let adaptation: any SpeechAdaptation = NoAdaptation(tailPadding: .seconds(1))
    adaptation.add([[0.5]])
    #expect(adaptation.state is Void)
    #expect(adaptation.tailPadding == .seconds(1))
    #expect(NoAdaptation().tailPadding == .zero)
  }
}

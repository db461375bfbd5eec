import Testing

@testable import PocketSphinxEngine

@Suite struct GrammarTroubleTests {
  @Test func `without an error there is no trouble`() {
    #expect(GrammarTrouble([], in: "") == nil)
  }

  @Test func `a word is found as a whole word alone`() {
    let trouble = GrammarTrouble(
      ["The word 'go' is missing in the dictionary"], in: "going\ngo-back\n(go|stop)")
    #expect(trouble?.line == 3)
  }

  @Test func `an unknown error is reported as it is`() {
    #expect(GrammarTrouble(["the moon is full"], in: "")?.reason == "the moon is full")
  }
}

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

  @Test func `the end of the text is told from an error within it`() {
    let within = GrammarTrouble(["syntax error at line 7 current token ';'"], in: "")
    let atEnd = GrammarTrouble(["syntax error at line 7 current token ''"], in: "")
    #expect(within?.isWithinText == true)
    #expect(atEnd?.isWithinText == false)
  }

  @Test func `an error that is not known is told as it is`() {
    #expect(GrammarTrouble(["the moon is full"], in: "")?.reason == "the moon is full")
  }
}

import Testing

@testable import SpeechClientLive

@Suite struct PatienceTests {
  @Test func `a source that gives nothing for a look is left`() {
    var patience = Patience(beats: 3)
    #expect(patience.look(beats: 4, isSourceAsked: true) == .wait)
    #expect(patience.look(beats: 4, isSourceAsked: true) == .leaveSource)
  }

  @Test func `an engine has half a minute for each step`() {
    var patience = Patience(beats: 0)
    for _ in 0..<29 { #expect(patience.look(beats: 0, isSourceAsked: false) == .wait) }
    #expect(patience.look(beats: 1, isSourceAsked: false) == .wait)
    for _ in 0..<29 { #expect(patience.look(beats: 1, isSourceAsked: false) == .wait) }
    #expect(patience.look(beats: 1, isSourceAsked: false) == .leaveEngine)
  }
}

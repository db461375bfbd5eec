import AudioCore
import Testing

@Suite struct ContinuityTests {
  @Test func `a buffer continues the previous buffer, follows a gap, or restarts the timeline`() {
    var continuity = Continuity()
    #expect(continuity.note(counting(3..<5)) == .first)
    #expect(continuity.note(counting(5..<6)) == .continues)
    #expect(continuity.note(counting(8..<9)) == .gap(2))
    #expect(continuity.note(counting(8..<9)) == .restart)
    #expect(continuity.note(AudioBuffer(silence: 1, format: .speech, firstFrame: 9)) == .restart)
  }
}

import AudioCore
import Testing

@Suite struct ContinuityTests {
  @Test func `a buffer is adjacent to the previous one, follows a gap, or restarts the timeline`() {
    var continuity = ContinuityChecker()
    #expect(continuity.check(counting(3..<5)) == .first)
    #expect(continuity.check(counting(5..<6)) == .adjacent)
    #expect(continuity.check(counting(8..<9)) == .gap(2))
    #expect(continuity.check(counting(8..<9)) == .restart)
    #expect(continuity.check(AudioBuffer(silence: 1, format: .speech, firstFrame: 9)) == .restart)
  }
}

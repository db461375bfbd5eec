import Testing

@testable import SpeechClientLive

@Suite struct StallDetectorTests {
  @Test func `a source without audio between two looks is left`() {
    var detector = StallDetector(beats: 3)
    #expect(detector.check(beats: 4, isSourceAsked: true) == .wait)
    #expect(detector.check(beats: 4, isSourceAsked: true) == .leaveSource)
  }

  @Test func `an engine has half a minute for each step`() {
    var detector = StallDetector(beats: 0)
    for _ in 0..<29 { #expect(detector.check(beats: 0, isSourceAsked: false) == .wait) }
    #expect(detector.check(beats: 1, isSourceAsked: false) == .wait)
    for _ in 0..<29 { #expect(detector.check(beats: 1, isSourceAsked: false) == .wait) }
    #expect(detector.check(beats: 1, isSourceAsked: false) == .leaveEngine)
  }
}

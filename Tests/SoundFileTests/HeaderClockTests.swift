import AudioCore
import Testing

@testable import SoundFile

@Suite struct HeaderClockTests {
  @Test func `the header is due once for every second`() {
    var clock = HeaderClock(rate: 1_000, isUsed: true)
    let due = [500, 999, 1_000, 1_001, 1_999, 2_500, 2_900, 6_000, 6_999, 7_000].map {
      clock.isDue(at: FrameCount($0))
    }
    #expect(due == [false, false, true, false, false, true, false, true, false, true])
  }

  @Test func `it is never due where it would destroy the file`() {
    var clock = HeaderClock(rate: 1_000, isUsed: false)
    let isDue = clock.isDue(at: 5_000)
    #expect(!isDue)
    #expect(SoundFileEncoding.allCases.filter(\.updatesHeader) == [.wav16, .wav24, .wavFloat])
  }
}

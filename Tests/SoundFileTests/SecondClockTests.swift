import AudioCore
import Testing

@testable import SoundFile

@Suite struct SecondClockTests {
  @Test func `it is due once for every second`() {
    var clock = SecondClock(rate: 1_000)
    let due = [500, 999, 1_000, 1_001, 1_999, 2_500, 2_900, 6_000, 6_999, 7_000].map {
      clock.isDue(at: FrameCount($0))
    }
    #expect(due == [false, false, true, false, false, true, false, true, false, true])
  }
}

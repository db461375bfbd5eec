import AudioCore
import Testing

@testable import SoundFile

@Suite struct SecondClockTests {
  @Test func `a header update is due every half second, and a flush every second`() {
    var clock = SecondClock(rate: 1_000)
    let due = [400, 500, 999, 1_000, 1_001, 1_999, 2_500, 2_900, 6_000, 6_400, 6_999, 7_000].map {
      clock.dueUpdates(at: FrameCount($0))
    }
    #expect(
      due == [
        .nothing, .header, .nothing, .everything, .nothing, .header, .everything, .nothing,
        .everything, .nothing, .header, .everything,
      ])
  }
}

import AudioCore
import Testing

@testable import SoundFile

@Suite struct FrameClockTests {
  @Test func `after several missed intervals, the clock is due only once`() {
    let frames: [FrameCount] = [
      400, 500, 999, 1_000, 1_001, 1_999, 2_500, 2_900, 6_000, 6_400, 6_999, 7_000,
    ]
    var (halves, wholes) = (FrameClock(every: 500), FrameClock(every: 1_000))
    let dueHalves = frames.filter { halves.isDue(at: $0) }
    #expect(dueHalves == [500, 1_000, 1_999, 2_500, 6_000, 6_999, 7_000])
    let dueWholes = frames.filter { wholes.isDue(at: $0) }
    #expect(dueWholes == [1_000, 2_500, 6_000, 7_000])
  }
}

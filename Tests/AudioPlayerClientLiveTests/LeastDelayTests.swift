import AudioCore
import Testing

@testable import AudioPlayerClientLive

@Suite struct LeastDelayTests {
  private var delay = LeastDelay(buffer: 800, rate: 8_000)

  @Test mutating func `what a device has taken cannot have been heard before its time`() {
    delay.saw(room: 200, at: .seconds(1))
    delay.wrote(200)
    let later = [1_000, 1_025, 1_099, 1_100, 2_000].map { delay.frames(at: .milliseconds($0)) }
    #expect(later == [800, 600, 8, 0, 0])
  }

  @Test mutating func `a device that takes frames at once holds no more than its buffer`() {
    delay.saw(room: 800, at: .zero)
    #expect(delay.frames(at: .zero) == 0)
    delay.wrote(5_000)
    #expect(delay.frames(at: .zero) == 800)
  }

  @Test mutating func `a device that has been emptied has nothing to play`() {
    delay.saw(room: 0, at: .zero)
    delay.forget()
    #expect(delay.frames(at: .zero) == 0)
  }
}

import AudioCore
import Testing

@testable import ALSASoundCard

@Suite struct DryClockTests {
  let start = MonotonicTime(nanoseconds: 0)

  @Test func `a card lasts as long as what it holds`() {
    var clock = DryClock(rate: 1_000)
    clock.wrote(400, at: start)
    #expect(clock.timeLeft(held: 400, at: start) == .milliseconds(400))
    #expect(clock.timeLeft(held: 90, at: start + .milliseconds(310)) == .milliseconds(90))
  }

  @Test func `a card that has run dry has no time left`() {
    var clock = DryClock(rate: 1_000)
    clock.wrote(400, at: start)
    _ = clock.timeLeft(held: 100, at: start + .milliseconds(300))
    #expect(clock.timeLeft(held: 0, at: start + .milliseconds(500)) == .zero)
  }

  @Test func `a device that never holds anything lasts as long as the frames would have taken`() {
    var clock = DryClock(rate: 1_000)
    clock.wrote(1_000, at: start)
    clock.wrote(1_000, at: start)
    #expect(clock.timeLeft(held: 0, at: start) == .seconds(2))
    #expect(clock.timeLeft(held: 0, at: start + .milliseconds(1_500)) == .milliseconds(500))
    clock.wrote(100, at: start + .seconds(10))
    #expect(clock.timeLeft(held: 0, at: start + .seconds(10)) == .milliseconds(100))
  }

  @Test func `what the card holds corrects what the clock thought`() {
    var clock = DryClock(rate: 1_000)
    clock.wrote(1_000, at: start)
    #expect(clock.timeLeft(held: 300, at: start) == .milliseconds(300))
    #expect(clock.timeLeft(held: 0, at: start + .milliseconds(100)) == .milliseconds(200))
  }

  @Test func `a new and an emptied device have no time left`() {
    var clock = DryClock(rate: 1_000)
    #expect(clock.timeLeft(held: 0, at: start) == .zero)
    clock.wrote(1_000, at: start)
    clock.dropped()
    #expect(clock.timeLeft(held: 0, at: start) == .zero)
  }
}

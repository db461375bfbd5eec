import Testing

@testable import ALSASoundCard

@Suite struct SpinGuardTests {
  let start = MonotonicTime(nanoseconds: 0)

  @Test func `a device that ticks four times a period may go on`() {
    var spins = SpinGuard(period: .milliseconds(20))
    for tick in 0..<100 { spins.wokeInVain(at: start + .milliseconds(tick * 5)) }
    let rests = spins.takeRest()
    #expect(!rests)
  }

  @Test func `a device that wakes at once, again and again, is given a rest, then a new chance`() {
    var spins = SpinGuard(period: .milliseconds(20))
    for wake in 0..<5 { spins.wokeInVain(at: start + .microseconds(wake * 10)) }
    let rests = [spins.takeRest(), spins.takeRest()]
    #expect(rests == [true, false])
  }
}

import AudioCore
import Testing

@testable import ALSASoundCard

/// Periods of 960 frames at 48 kHz: 20 ms.
@Suite struct EarlyWakesTests {
  let start = MonotonicTime(nanoseconds: 0)
  var wakes = EarlyWakes(period: 960, rate: 48_000)

  /// Waits in which the device ticks four times a period, each as long as `tick` says.
  mutating func wait(times: Int, tick: Duration = .milliseconds(5)) {
    for wait in 0..<times {
      for step in 0..<4 {
        let time = start + (tick * (wait * 4 + step))
        wakes.woke(at: time)
        wakes.saw(240 * step, at: time)
      }
      wakes.ready(960, at: start + (tick * (wait * 4 + 4)))
    }
  }

  @Test mutating func `a device that keeps the clock's time is waited for by the clock`() {
    wait(times: 4)
    wakes.saw(240, at: start + .seconds(1))
    #expect(wakes.takeRest() == .milliseconds(15))
  }

  @Test mutating func `after a rest the device itself is asked`() {
    wait(times: 4)
    wakes.saw(240, at: start + .seconds(1))
    _ = wakes.takeRest()
    wakes.saw(950, at: start + .seconds(2))
    #expect(wakes.takeRest() == nil)
  }

  @Test(arguments: [1, 10]) mutating func `a device with a time of its own is never waited for so`(
    tick: Int
  ) {
    wait(times: 100, tick: .milliseconds(tick))
    wakes.saw(0, at: start + .seconds(10))
    #expect(wakes.takeRest() == nil)
  }

  @Test mutating func `a device that has run ahead of the clock is watched anew`() {
    wait(times: 4)
    wakes.saw(0, at: start + .seconds(1))
    _ = wakes.takeRest()
    wakes.ready(3 * 960, at: start + .seconds(1))
    wakes.saw(0, at: start + .seconds(2))
    #expect(wakes.takeRest() == nil)
  }

  @Test mutating func `one wait in eight is the device's own, so that it can say that it is gone`()
  {
    wait(times: 4)
    var rests: [Bool] = []
    for _ in 0..<16 {
      wakes.saw(0, at: start + .seconds(1))
      rests.append(wakes.takeRest() != nil)
      wakes.ready(960, at: start + .seconds(1))
    }
    #expect(rests.count { !$0 } == 2)
  }

  @Test mutating func `a device that wakes only for a period is left to wake its thread`() {
    for wait in 0..<100 {
      wakes.saw(0, at: start + .milliseconds(20 * wait))
      wakes.woke(at: start + .milliseconds(20 * wait + 20))
      wakes.ready(960, at: start + .milliseconds(20 * wait + 20))
    }
    wakes.saw(0, at: start + .seconds(10))
    #expect(wakes.takeRest() == nil)
  }

  @Test mutating func `where it cannot be ready it is not even looked at`() {
    wait(times: 4)
    // The last wait ended after 80 ms; a period of what was there then has been moved.
    wakes.transferred(960)
    #expect(wakes.takeRestUnseen(at: start + .milliseconds(82)) == .milliseconds(18))
    wakes.saw(950, at: start + .milliseconds(100))
    // It is late, so that it is asked from then on.
    #expect(wakes.takeRestUnseen(at: start + .milliseconds(100)) == nil)
    #expect(wakes.takeRest() == nil)
  }

  @Test mutating func `a process that was stopped for a month goes on with any device`() {
    let time = start + .seconds(30 * 86_400)
    wakes = EarlyWakes(period: 3_840, rate: 768_000)
    for step in 0..<5 {
      let time = start + .milliseconds(5 * step)
      wakes.saw(0, at: time)
      wakes.saw(1_920, at: time + .microseconds(2_500))
      wakes.ready(3_840, at: time + .milliseconds(5))
    }
    wakes.transferred(3_840)
    #expect(wakes.takeRestUnseen(at: start + .milliseconds(26)) == .milliseconds(4))
    wakes.ready(0, at: start + .milliseconds(30))
    #expect(wakes.takeRestUnseen(at: time) == nil)
    wakes.saw(0, at: start)
    wakes.saw(3_840, at: time)
    wakes.ready(3_840, at: time)
  }

  @Test mutating func `it is looked at where it may be ready, and where nothing is known`() {
    wait(times: 4)
    wakes.transferred(500)
    #expect(wakes.takeRestUnseen(at: start + .milliseconds(92)) == nil)
    wait(times: 4)
    wakes.transferred(960)
    wakes.forget()
    #expect(wakes.takeRestUnseen(at: start + .milliseconds(82)) == nil)
  }

  @Test mutating func `one wait in eight is the device's own also where it was not looked at`() {
    wait(times: 4)
    wakes.transferred(960)
    var rests: [Bool] = []
    for round in 0..<16 {
      let time = start + .milliseconds(80 + 20 * round)
      let isUnseen = wakes.takeRestUnseen(at: time) != nil
      wakes.saw(0, at: time)
      rests.append(isUnseen || wakes.takeRest() != nil)
      wakes.ready(960, at: time + .milliseconds(20))
      wakes.transferred(960)
    }
    #expect(rests.count { !$0 } == 2)
  }

  @Test mutating func `a device that wakes at once, again and again, is given a rest`() {
    for wake in 0..<5 { wakes.woke(at: start + .microseconds(wake * 10)) }
    let rests = [wakes.takeRest(), wakes.takeRest()]
    #expect(rests == [.milliseconds(5), nil])
  }
}

import AudioCore
import Testing

@testable import ALSASoundCard

/// Periods have 960 frames at 48 kHz, which last 20 ms.
@Suite struct WakeUpThrottleTests {
  let start = SuspendingClock().systemEpoch
  var wakes = WakeUpThrottle(period: 960, rate: 48_000)

  /// Simulates waits in which the device wakes the thread four times per period, every `tick`.
  mutating func wait(times: Int, tick: Duration = .milliseconds(5)) {
    for wait in 0..<times {
      for step in 0..<4 {
        let time = start + (tick * (wait * 4 + step))
        wakes.woke(at: time)
        wakes.observe(240 * step, at: time)
      }
      wakes.ready(960, at: start + (tick * (wait * 4 + 4)))
    }
  }

  @Test
  mutating func `if the device keeps its nominal rate, the thread sleeps until a period is due`() {
    wait(times: 4)
    wakes.observe(240, at: start + .seconds(1))
    #expect(wakes.consumeRest() == .milliseconds(15))
  }

  @Test mutating func `after a sleep, the thread waits for the device`() {
    wait(times: 4)
    wakes.observe(240, at: start + .seconds(1))
    _ = wakes.consumeRest()
    wakes.observe(950, at: start + .seconds(2))
    #expect(wakes.consumeRest() == nil)
  }

  @Test(arguments: [1, 10])
  mutating func `if the device runs at the wrong speed, the thread always waits for the device`(
    tick: Int
  ) {
    wait(times: 100, tick: .milliseconds(tick))
    wakes.observe(0, at: start + .seconds(10))
    #expect(wakes.consumeRest() == nil)
  }

  @Test mutating func `after a device ran ahead of the clock, the thread waits for the device`() {
    wait(times: 4)
    wakes.observe(0, at: start + .seconds(1))
    _ = wakes.consumeRest()
    wakes.ready(3 * 960, at: start + .seconds(1))
    wakes.observe(0, at: start + .seconds(2))
    #expect(wakes.consumeRest() == nil)
  }

  @Test mutating func `one in eight sleeps after a device check is replaced by a device wait`() {
    wait(times: 4)
    var rests: [Bool] = []
    for _ in 0..<16 {
      wakes.observe(0, at: start + .seconds(1))
      rests.append(wakes.consumeRest() != nil)
      wakes.ready(960, at: start + .seconds(1))
    }
    #expect(rests.count { !$0 } == 2)
  }

  @Test mutating func `with one wake-up per period, the thread waits for the device`() {
    for wait in 0..<100 {
      wakes.observe(0, at: start + .milliseconds(20 * wait))
      wakes.woke(at: start + .milliseconds(20 * wait + 20))
      wakes.ready(960, at: start + .milliseconds(20 * wait + 20))
    }
    wakes.observe(0, at: start + .seconds(10))
    #expect(wakes.consumeRest() == nil)
  }

  @Test mutating func `while the device cannot be ready, the thread sleeps without checking it`() {
    wait(times: 4)
    // The last wait ended at 80 ms, when a period was ready; that period is now transferred.
    wakes.transferred(960)
    #expect(wakes.consumeRestUnseen(at: start + .milliseconds(82)) == .milliseconds(18))
    wakes.observe(950, at: start + .milliseconds(100))
    // The device is late, so the thread waits for it from now on.
    #expect(wakes.consumeRestUnseen(at: start + .milliseconds(100)) == nil)
    #expect(wakes.consumeRest() == nil)
  }

  @Test
  mutating func `the sleep time does not overflow after a process was stopped for a month`() {
    let time = start + .seconds(30 * 86_400)
    wakes = WakeUpThrottle(period: 3_840, rate: 768_000)
    for step in 0..<5 {
      let time = start + .milliseconds(5 * step)
      wakes.observe(0, at: time)
      wakes.observe(1_920, at: time + .microseconds(2_500))
      wakes.ready(3_840, at: time + .milliseconds(5))
    }
    wakes.transferred(3_840)
    #expect(wakes.consumeRestUnseen(at: start + .milliseconds(26)) == .milliseconds(4))
    wakes.ready(0, at: start + .milliseconds(30))
    #expect(wakes.consumeRestUnseen(at: time) == nil)
    wakes.observe(0, at: start)
    wakes.observe(3_840, at: time)
    wakes.ready(3_840, at: time)
  }

  @Test
  mutating func `before a sleep, a device that may be ready or has an unknown state is checked`() {
    wait(times: 4)
    wakes.transferred(500)
    #expect(wakes.consumeRestUnseen(at: start + .milliseconds(92)) == nil)
    wait(times: 4)
    wakes.transferred(960)
    wakes.forget()
    #expect(wakes.consumeRestUnseen(at: start + .milliseconds(82)) == nil)
  }

  @Test
  mutating func `one in eight sleeps before a device check is replaced by a device wait`() {
    wait(times: 4)
    wakes.transferred(960)
    var rests: [Bool] = []
    for round in 0..<16 {
      let time = start + .milliseconds(80 + 20 * round)
      let isUnseen = wakes.consumeRestUnseen(at: time) != nil
      wakes.observe(0, at: time)
      rests.append(isUnseen || wakes.consumeRest() != nil)
      wakes.ready(960, at: time + .milliseconds(20))
      wakes.transferred(960)
    }
    #expect(rests.count { !$0 } == 2)
  }

  @Test mutating func `if the device repeatedly wakes the thread too early, the thread sleeps`() {
    for wake in 0..<5 { wakes.woke(at: start + .microseconds(wake * 10)) }
    let rests = [wakes.consumeRest(), wakes.consumeRest()]
    #expect(rests == [.milliseconds(5), nil])
  }
}

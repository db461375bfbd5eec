import Glibc
import Testing

/// Tests Swift's clocks, with which a device measures the times of its calls and losses.
@Suite struct ClockTests {
  @Test func `an infinite timeout lasts for more than a century`() {
    let start = SuspendingClock.now
    #expect(start + .seconds(Int64.max) - start > .seconds(100 * 365 * 86_400))
  }

  @Test func `ContinuousClock includes the time of a system suspend, and SuspendingClock does not`()
  {
    let before = (boot: time(of: CLOCK_BOOTTIME), monotonic: time(of: CLOCK_MONOTONIC))
    let continuous = ContinuousClock.now - ContinuousClock().systemEpoch
    let suspending = SuspendingClock.now - SuspendingClock().systemEpoch
    #expect((before.boot...time(of: CLOCK_BOOTTIME)).contains(continuous))
    #expect((before.monotonic...time(of: CLOCK_MONOTONIC)).contains(suspending))
  }

  private func time(of clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

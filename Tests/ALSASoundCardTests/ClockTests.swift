import Glibc
import Testing

/// Swift's clocks, by which a device measures its calls and its losses.
@Suite struct ClockTests {
  @Test func `an infinite timeout is more than a century`() {
    let start = SuspendingClock.now
    #expect(start + .seconds(Int64.max) - start > .seconds(100 * 365 * 86_400))
  }

  @Test func `losses are measured by the clock that continues during a suspend`() {
    #expect(
      reads(CLOCK_BOOTTIME) { ContinuousClock.now - ContinuousClock().systemEpoch })
    #expect(
      reads(CLOCK_MONOTONIC) { SuspendingClock.now - SuspendingClock().systemEpoch })
  }

  /// Whether the time matches the system's clock.
  private func reads(_ clock: clockid_t, _ time: () -> Duration) -> Bool {
    let before = self.time(of: clock)
    let now = time()
    return (before...self.time(of: clock)).contains(now)
  }

  private func time(of clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

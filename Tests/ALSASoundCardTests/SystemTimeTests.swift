import Glibc
import Testing

@testable import ALSASoundCard

@Suite struct SystemTimeTests {
  let start = MonotonicTime(nanoseconds: 1_000)

  @Test func `timestamps and durations add and subtract`() {
    let end = start + .seconds(2) + .nanoseconds(5)
    #expect(end - start == .nanoseconds(2_000_000_005))
    #expect(start < end)
  }

  @Test func `an infinite duration is clamped to more than a century`() {
    #expect(start + .seconds(Int64.max) - start > .seconds(100 * 365 * 86_400))
  }

  @Test func `losses are measured by the clock that continues during a suspend`() {
    #expect(BootTime.clock == CLOCK_BOOTTIME)
    #expect(MonotonicTime.clock == CLOCK_MONOTONIC)
    #expect(reads(BootTime.self))
    #expect(reads(MonotonicTime.self))
  }

  /// Whether it matches the system's clock.
  private func reads<Time: SystemTime>(_ kind: Time.Type) -> Bool {
    var (before, after) = (timespec(), timespec())
    clock_gettime(Time.clock, &before)
    let now = Time.now.nanoseconds
    clock_gettime(Time.clock, &after)
    return (before.inNanoseconds...after.inNanoseconds).contains(now)
  }
}

extension timespec {
  fileprivate var inNanoseconds: Int64 { Int64(tv_sec) * 1_000_000_000 + Int64(tv_nsec) }
}

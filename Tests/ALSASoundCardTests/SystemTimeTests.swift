import Glibc
import Testing

@testable import ALSASoundCard

@Suite struct SystemTimeTests {
  let start = MonotonicTime(nanoseconds: 1_000)

  @Test func `a moment and a duration give the moment after it, and back`() {
    let end = start + .seconds(2) + .nanoseconds(5)
    #expect(end - start == .nanoseconds(2_000_000_005))
    #expect(start < end)
  }

  @Test func `an endless duration is more than a century and no crash`() {
    #expect(start + .seconds(Int64.max) - start > .seconds(100 * 365 * 86_400))
  }

  @Test func `what is lost is counted by the clock that goes on in the machine's sleep`() {
    #expect(BootTime.clock == CLOCK_BOOTTIME)
    #expect(MonotonicTime.clock == CLOCK_MONOTONIC)
    #expect(reads(BootTime.self))
    #expect(reads(MonotonicTime.self))
  }

  /// Whether it is what the system says of its clock.
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

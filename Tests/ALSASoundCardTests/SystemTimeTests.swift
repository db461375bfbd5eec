import Testing

@testable import ALSASoundCard

@Suite struct MonotonicTimeTests {
  let start = MonotonicTime(nanoseconds: 1_000)

  @Test func `a moment and a duration give the moment after it, and back`() {
    let end = start + .seconds(2) + .nanoseconds(5)
    #expect(end - start == .nanoseconds(2_000_000_005))
    #expect(start < end)
  }

  @Test func `an endless duration is more than a century and no crash`() {
    #expect(start + .seconds(Int64.max) - start > .seconds(100 * 365 * 86_400))
  }
}

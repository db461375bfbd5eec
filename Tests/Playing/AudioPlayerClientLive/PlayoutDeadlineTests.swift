import Testing

@testable import AudioPlayerClientLive

@Suite struct PlayoutDeadlineTests {
  private let buffer = Duration.milliseconds(100)

  /// Returns the wait for a device whose delay is the given function of the time.
  private func wait(
    patience: Duration = .zero, _ delay: (Duration) -> Duration
  ) -> Duration {
    var now = Duration.zero
    var deadline = PlayoutDeadline(delay: delay(now), buffer: buffer, at: now)
    while delay(now) > .zero,
      let left = deadline.timeLeft(delay: delay(now), patience: patience, at: now)
    {
      #expect(left > .zero)
      now += min(left, max(delay(now), .milliseconds(1)), .milliseconds(50))
    }
    return now
  }

  @Test func `the wait ends when the device has played everything`() {
    #expect(wait { .milliseconds(80) - $0 } == .milliseconds(80))
  }

  @Test(arguments: [40, 100, 1_600])
  func `the wait for a stalled device is at most its buffer plus 250 ms`(
    milliseconds: Int
  ) {
    let time = wait { _ in .milliseconds(milliseconds) }
    #expect(time == .milliseconds(min(milliseconds, 100) + 250))
  }

  @Test func `if a server holds more than the device's buffer, the wait lasts for all held frames`()
  {
    #expect(wait { .milliseconds(1_600) - $0 } == .milliseconds(1_600))
  }

  @Test func `the wait for a sound server that stops playing is at most its buffer plus 250 ms`() {
    let time = wait { max(.milliseconds(1_000), .milliseconds(1_600) - $0) }
    #expect(time > .milliseconds(600))
    #expect(time <= .milliseconds(600 + 2 * 350))
  }

  @Test
  func `if a device pauses with its last frames, the stall timeout limits the wait`() {
    let patience = Duration.seconds(5)
    // The device pauses for three seconds before its last 80 ms.
    let delay = { (now: Duration) in
      now < .seconds(3) ? .milliseconds(80) : .milliseconds(3_080) - now
    }
    #expect(wait(patience: patience, delay) == .milliseconds(3_080))
    #expect(wait(patience: patience) { _ in .milliseconds(80) } == patience + .milliseconds(330))
  }

  @Test func `a delay that grows does not extend the wait`() {
    #expect(wait { .milliseconds(200) + $0 } == .milliseconds(350))
  }

  @Test
  func `if a device plays too slowly, the wait lasts for its first reported delay plus 250 ms`() {
    let time = wait { .milliseconds(1_600) - $0 * 6 / 10 }
    #expect(time == .milliseconds(1_850))
  }
}

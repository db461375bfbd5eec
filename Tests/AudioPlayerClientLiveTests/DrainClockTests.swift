import Testing

@testable import AudioPlayerClientLive

@Suite struct DrainClockTests {
  private let buffer = Duration.milliseconds(100)

  /// How long a device is waited for whose delay is this function of the time.
  private func time(_ delay: (Duration) -> Duration) -> Duration {
    var now = Duration.zero
    var clock = DrainClock(delay: delay(now), buffer: buffer, at: now)
    while delay(now) > .zero, case .wait(let pause) = clock.look(delay: delay(now), at: now) {
      #expect(pause > .zero && pause <= .milliseconds(50))
      now += pause
    }
    return now
  }

  @Test func `a device that plays out is waited for until it has`() {
    #expect(time { .milliseconds(80) - $0 } == .milliseconds(80))
  }

  @Test(arguments: [40, 100, 1_600])
  func `a device that stands still is waited for no longer than its buffer and 250 ms`(
    milliseconds: Int
  ) {
    let waited = time { _ in .milliseconds(milliseconds) }
    #expect(waited == .milliseconds(min(milliseconds, 100) + 250))
  }

  @Test func `a sound server that holds more than the buffer is heard to its end`() {
    #expect(time { .milliseconds(1_600) - $0 } == .milliseconds(1_600))
  }

  @Test func `a sound server that ceases to play is given up within a buffer and 250 ms`() {
    let waited = time { max(.milliseconds(1_000), .milliseconds(1_600) - $0) }
    #expect(waited > .milliseconds(600))
    #expect(waited <= .milliseconds(600 + 2 * 350))
  }

  @Test func `a delay that grows is not believed`() {
    #expect(time { .milliseconds(200) + $0 } == .milliseconds(350))
  }

  @Test func `a device is never waited for longer than it asked for and 250 ms`() {
    let waited = time { .milliseconds(1_600) - $0 * 6 / 10 }
    #expect(waited == .milliseconds(1_850))
  }
}

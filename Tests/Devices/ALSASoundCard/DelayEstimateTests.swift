import AudioCore
import Glibc
import Testing

@testable import ALSASoundCard

@Suite struct DelayEstimateTests {
  private var estimate = DelayEstimate(buffer: 1_920, rate: 1_000)
  private let start = SuspendingClock().systemEpoch

  @Test(arguments: [(0, 0), (480, 480), (1_920, 1_920), (-1, 0), (.min, 0)])
  mutating func `the delay is the reported value, and never negative`(reported: Int, expected: Int)
  {
    let delay = estimate.delay(reported: reported, held: 100)
    #expect(delay.rawValue == expected)
  }

  @Test(arguments: [5_000, 16 * 1_920])
  mutating func `a sound server's delay may exceed the device's buffer`(reported: Int) {
    let delay = estimate.delay(reported: reported, held: 100)
    #expect(delay.rawValue == reported)
  }

  @Test(arguments: [nil, 16 * 1_920 + 1, 1_000_000, .max])
  mutating func `after an error or an absurd delay, the buffered frames are used as the delay`(
    reported: Int?
  ) {
    let held = estimate.delay(reported: reported, held: 100)
    let limited = estimate.delay(reported: reported, held: 5_000)
    _ = estimate.delay(reported: 70, held: nil)
    let last = estimate.delay(reported: reported, held: nil)
    #expect([held, limited, last] == [100, 1_920, 70])
  }

  @Test mutating func `if the reported delay is plausible, the buffered frames are not queried`() {
    var isAsked = false
    func held() -> Int? {
      isAsked = true
      return 100
    }
    _ = estimate.delay(reported: 50, held: held())
    #expect(!isAsked)
  }

  @Test(
    arguments: [
      (0, false, 480), (-EPIPE, false, 0), (-EIO, false, 100), (-ESTRPIPE, false, 100),
      (-ENODEV, false, nil), (-ENXIO, false, nil), (-EBADFD, true, nil),
    ] as [(Int32, Bool, FrameCount?)])
  mutating func `the delay is 0 after an underrun, the backlog after an error, nil after a loss`(
    code: Int32, isDisconnected: Bool, expected: FrameCount?
  ) {
    let delay = estimate.delay(
      after: code, reported: 480, isDisconnected: isDisconnected, held: 100)
    #expect(delay == expected)
  }

  /// Returns the time until an underrun if `held` frames are buffered after `milliseconds`.
  private mutating func timeUntilUnderrun(_ held: FrameCount, at milliseconds: Int) -> Duration {
    estimate.timeUntilUnderrun(held: held, at: start + .milliseconds(milliseconds))
  }

  @Test mutating func `the time until an underrun is the duration of the buffered frames`() {
    estimate.wrote(400, at: start)
    let times = [timeUntilUnderrun(400, at: 0), timeUntilUnderrun(90, at: 310)]
    #expect(times == [.milliseconds(400), .milliseconds(90)])
  }

  @Test mutating func `once an underrun has occurred, timeUntilUnderrun is zero`() {
    estimate.wrote(400, at: start)
    _ = timeUntilUnderrun(100, at: 300)
    let time = timeUntilUnderrun(0, at: 500)
    #expect(time == .zero)
  }

  @Test
  mutating func `without buffered frames, an underrun is due at the end of the written frames`() {
    estimate.wrote(1_000, at: start)
    estimate.wrote(1_000, at: start)
    let times = [timeUntilUnderrun(0, at: 0), timeUntilUnderrun(0, at: 1_500)]
    #expect(times == [.seconds(2), .milliseconds(500)])
    estimate.wrote(100, at: start + .seconds(10))
    let later = timeUntilUnderrun(0, at: 10_000)
    #expect(later == .milliseconds(100))
  }

  @Test
  mutating func `if frames are buffered, their duration is the estimated time until an underrun`() {
    estimate.wrote(1_000, at: start)
    let times = [timeUntilUnderrun(300, at: 0), timeUntilUnderrun(0, at: 100)]
    #expect(times == [.milliseconds(300), .milliseconds(200)])
  }

  @Test mutating func `a new or emptied device has no time left until an underrun`() {
    let new = timeUntilUnderrun(0, at: 0)
    estimate.wrote(1_000, at: start)
    estimate.emptied()
    let emptied = timeUntilUnderrun(0, at: 0)
    #expect(new == .zero && emptied == .zero)
  }
}

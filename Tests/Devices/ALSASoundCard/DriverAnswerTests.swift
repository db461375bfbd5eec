import AudioCore
import Glibc
import Testing

@testable import ALSASoundCard

@Suite struct DriverAnswerTests {
  @Test(arguments: [0, 1, 479, 480])
  func `a returned frame count up to the requested count is accepted`(answer: Int) {
    #expect(DriverAnswer(answer, of: 480) == .frames(answer))
  }

  @Test(arguments: [481, 1 << 31, 1 << 62, Int.max])
  func `any returned frame count above the requested count is an excess`(answer: Int) {
    #expect(DriverAnswer(answer, of: 480) == .excess)
  }

  @Test(arguments: [-EPIPE, -ENODEV, -1, -4_095])
  func `a negative errno value is a failure with that code`(code: Int32) {
    #expect(DriverAnswer(Int(code), of: 480) == .failure(code))
  }

  @Test(arguments: [-4_096, -1 << 31, -1 << 32, -9_200_000_000_000_000_000, Int.min])
  func `a negative number that is not an errno value becomes EIO`(answer: Int) {
    #expect(DriverAnswer(answer, of: 480) == .failure(-EIO))
  }

  @Test func `the errno value of any driver code is computed without overflow`() {
    #expect((-ENODEV).errnoValue == ENODEV)
    #expect(Int32.min.errnoValue == .min)
    #expect(Int32.max.errnoValue == -.max)
  }

  @Test(arguments: [Int32.min, Int32.max, -1_000_000])
  func `extreme error codes cause no trap in a recovery or a delay estimate`(code: Int32) {
    var recovery = Recovery(direction: .playback, suspended: .now)
    #expect(recovery.begin(after: code) == .prepare)
    #expect(recovery.next(after: Int32.min, now: .now) == .lost)
    var estimate = DelayEstimate(buffer: 1_920, rate: 1_000)
    let delay = estimate.delay(after: .min, reported: 480, isDisconnected: false, held: 100)
    #expect(delay == 100)
  }
}

import AudioCore
import Testing

@Suite struct DurationSecondsTests {
  @Test func `a duration converts to seconds and to whole nanoseconds`() {
    #expect(Duration.milliseconds(-1_250).inSeconds == -1.25)
    #expect(Duration.milliseconds(-1_250).inNanoseconds == -1_250_000_000)
    #expect(Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999).inNanoseconds == 1)
  }

  @Test func `in nanoseconds, a huge duration is clamped to more than a century`() {
    let century = Int64(100 * 365 * 86_400) * 1_000_000_000
    #expect(Duration.seconds(Int64.max).inNanoseconds > century)
    #expect(Duration.seconds(Int64.min).inNanoseconds < -century)
    #expect(Duration.seconds(Int64.max).secondsText.hasSuffix(" s"))
  }

  @Test(arguments: [
    (Duration.zero, "0.000 s"), (.milliseconds(1_500), "1.500 s"),
    (.microseconds(49_600), "0.050 s"), (.microseconds(21), "under 0.001 s"),
    (.seconds(120), "120.000 s"),
  ])
  func `a duration is formatted in seconds with three decimals`(length: Duration, text: String) {
    #expect(length.secondsText == text)
  }
}

import Testing

@testable import SyrinxCommand

struct TimeTextTests {
  @Test(arguments: [
    (Duration.zero, "0:00.0"), (.milliseconds(3_270), "0:03.2"), (.seconds(61), "1:01.0"),
    (.seconds(3_723.45), "1:02:03.4"), (.seconds(-1), "0:00.0"),
  ])
  func `a time is shown as on a clock`(time: Duration, text: String) {
    #expect(time.clockText == text)
  }

  @Test(arguments: [
    (Duration.zero, "0.000 s"), (.milliseconds(1_500), "1.500 s"),
    (.microseconds(49_600), "0.050 s"), (.microseconds(21), "under 0.001 s"),
    (.seconds(120), "120.000 s"),
  ])
  func `a length is shown in seconds`(length: Duration, text: String) {
    #expect(length.secondsText == text)
  }
}

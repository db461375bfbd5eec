import Testing

@testable import SyrinxCommand

struct TimeTextTests {
  @Test(arguments: [
    (Duration.zero, "0:00.0"), (.milliseconds(3_270), "0:03.2"), (.seconds(61), "1:01.0"),
    (.seconds(3_723.45), "1:02:03.4"), (.seconds(-1), "0:00.0"),
  ])
  func `a time is shown like on a clock`(time: Duration, text: String) {
    #expect(time.clockText == text)
  }
}

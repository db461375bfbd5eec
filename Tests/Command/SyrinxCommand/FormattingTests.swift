import Testing

@testable import SyrinxCommand

struct TimeTextTests {
  @Test(arguments: [
    (Duration.zero, "0:00.0"), (.milliseconds(3_270), "0:03.2"), (.seconds(61), "1:01.0"),
    (.seconds(3_723.45), "1:02:03.4"), (.seconds(-1), "0:00.0"),
  ])
  func `a time is formatted like a clock`(time: Duration, text: String) {
    #expect(time.clockText == text)
  }
}

struct WrappingTests {
  @Test(arguments: [
    ("one two", 7, "one two"), ("one two", 6, "one\n    two"), ("", 5, ""),
    ("ok    card  a long detail", 12, "ok    card\n    a long\n    detail"),
    ("  silero", 4, "  silero"),
    ("a /a/path/that/is/long b", 8, "a\n    /a/path/that/is/long\n    b"),
  ])
  func `a text is divided at spaces, and a long word stays whole`(
    text: String, columns: Int, wrapped: String
  ) {
    #expect(text.wrapped(to: columns) == wrapped)
  }
}

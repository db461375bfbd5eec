import AudioCore
import Testing

@testable import MoonshineEngine

@Suite struct TextLimitsTests {
  private func limits(_ seconds: Double, _ language: String = "en") -> TextLimits {
    TextLimits(of: FrameCount(.seconds(seconds), at: .speech), language: language)
  }

  @Test func `the number of tokens is limited per second, with a minimum for short commands`() {
    #expect(limits(20).tokenCount == 130)
    #expect(limits(20, "ja").tokenCount == 260)
    #expect(limits(0.1).tokenCount == TextLimits.floor)
    #expect(limits(0).tokenCount == TextLimits.floor)
  }

  @Test(arguments: [
    ("Come on , come on , come on , let's go", false), ("1 , 0 0 0 , 0 0 0 , 0 0 0", false),
    ("never , never , never , never give up", false), ("no no no no no no no no", false),
    (String(repeating: "and ", count: 24), false), (String(repeating: "and ", count: 25), true),
    (String(repeating: "a b c ", count: 8), false), (String(repeating: "a b c ", count: 9), true),
    ("x y z " + String(repeating: "a b ", count: 13), true), ("", false),
  ])
  func `a dozen repetitions are a decoding loop, and natural repetitions are not`(
    text: String, isCircle: Bool
  ) {
    #expect(limits(20).areReached(by: text.split(separator: " ")) == isCircle)
  }

  @Test func `excess(of:) counts the repeated tokens at the end of a text`() {
    #expect(limits(1).excess(of: "ten of clubs ten of clubs ten of".split(separator: " ")) == 5)
    #expect(limits(1).excess(of: ["and", "and", "and"]) == 2)
    #expect(limits(1).excess(of: ["a", "b", "c"]) == 0)
    #expect(limits(1).excess(of: "1 , 0 0 , 0 0 , 0 0".split(separator: " ")) == 6)
    #expect(limits(1).excess(of: [String]()) == 0)
  }
}

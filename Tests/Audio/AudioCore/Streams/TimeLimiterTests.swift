import AudioCore
import SyrinxTestSupport
import Testing

@Suite struct TimeLimiterTests {
  @Test func `audio passes up to the length, to the frame`() throws {
    let output = try all(TimeLimiter(5 as FrameCount), counting(0..<3), counting(3..<9))
    #expect(output == [counting(0..<3), counting(3..<5)])
  }

  @Test func `a duration is counted in frames at the rate of the audio`() throws {
    let output = try all(TimeLimiter(.milliseconds(700)), counting(0..<9))
    #expect(output == [counting(0..<7)])
  }

  @Test func `the length counts from the first frame, whichever it is`() throws {
    #expect(try all(TimeLimiter(2 as FrameCount), counting(90..<99)) == [counting(90..<92)])
  }

  @Test func `frames that are missing count`() throws {
    let output = try all(TimeLimiter(8 as FrameCount), counting(0..<3), counting(6..<10))
    #expect(output == [counting(0..<3), counting(6..<8)])
  }

  @Test func `nothing is captured after a gap that outlasts the length`() throws {
    let output = try all(
      TimeLimiter(8 as FrameCount), counting(0..<3), counting(8..<9), counting(9..<10))
    #expect(output == [counting(0..<3)])
  }

  @Test func `sound that begins anew adds up`() throws {
    let output = try all(TimeLimiter(5 as FrameCount), counting(0..<3), counting(0..<3))
    #expect(output == [counting(0..<3), counting(0..<2)])
  }

  @Test func `the stream ends with its last frame, and asks for no more`() {
    let result = audioDiagram("ab-c|").run(symbol: drawn) { $0[0].limited(to: 4) }
    #expect(result == .init(output: "[<0 1>][<2 3>|]---", taken: ["ab---"]))
  }

  @Test func `a limit for ever is none`() throws {
    var limiter = TimeLimiter(.seconds(Int64.max))
    #expect(limiter.take(counting(0..<9)) == [counting(0..<9)])
  }

  @Test func `hours leave nothing behind`() throws {
    #expect(try mostHeld(by: TimeLimiter(.seconds(100_000))) == 0)
  }
}

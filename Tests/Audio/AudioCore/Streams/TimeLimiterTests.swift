import AudioCore
import SyrinxTestSupport
import Testing

@Suite struct TimeLimiterTests {
  @Test func `limited audio ends at the exact frame`() throws {
    let output = try all(TimeLimiter(5 as FrameCount), counting(0..<3), counting(3..<9))
    #expect(output == [counting(0..<3), counting(3..<5)])
  }

  @Test func `a duration is counted in frames at the rate of the audio`() throws {
    let output = try all(TimeLimiter(.milliseconds(700)), counting(0..<9))
    #expect(output == [counting(0..<7)])
  }

  @Test func `the time limit starts at the first frame, whatever its index`() throws {
    #expect(try all(TimeLimiter(2 as FrameCount), counting(90..<99)) == [counting(90..<92)])
  }

  @Test func `missing frames count toward the time limit`() throws {
    let output = try all(TimeLimiter(8 as FrameCount), counting(0..<3), counting(6..<10))
    #expect(output == [counting(0..<3), counting(6..<8)])
  }

  @Test func `no audio follows a gap that exceeds the time limit`() throws {
    let output = try all(
      TimeLimiter(8 as FrameCount), counting(0..<3), counting(8..<9), counting(9..<10))
    #expect(output == [counting(0..<3)])
  }

  @Test func `audio whose frame index restarts still counts toward the limit`() throws {
    let output = try all(TimeLimiter(5 as FrameCount), counting(0..<3), counting(0..<3))
    #expect(output == [counting(0..<3), counting(0..<2)])
  }

  @Test func `a limited stream ends right after its last frame and reads no further`() {
    let result = audioDiagram("ab-c|").run(symbol: drawn) { $0[0].prefix(frames: 4) }
    #expect(result == .init(output: "[<0 1>][<2 3>|]---", taken: ["ab---"]))
  }

  @Test func `an infinite limit passes all audio`() throws {
    var limiter = TimeLimiter(.seconds(Int64.max))
    #expect(limiter.process(counting(0..<9)) == [counting(0..<9)])
  }

  @Test func `a time limiter holds no frames over hours of audio`() throws {
    #expect(try mostHeld(by: TimeLimiter(.seconds(100_000))) == 0)
  }
}

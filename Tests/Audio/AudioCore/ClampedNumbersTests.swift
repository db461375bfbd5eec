import AudioCore
import Testing

@Suite struct ClampedNumbersTests {
  @Test(arguments: [
    (1.5, 2), (-1.5, -2), (0.4, 0), (.nan, 0), (.infinity, 1 << 60), (-.infinity, -(1 << 60)),
    (1e300, 1 << 60),
  ])
  func `a clamped conversion to an integer accepts any number`(number: Double, integer: Int) {
    #expect(Int(clamping: number) == integer)
  }

  @Test func `durations from any number of seconds can be added without overflow`() {
    #expect(Duration.seconds(clamping: 1.5) == .milliseconds(1_500))
    #expect(Duration.seconds(clamping: .nan) == .zero)
    for number in [Double.infinity, 1e300, -1e300, 1e19] {
      let time = Duration.seconds(clamping: number)
      #expect(abs((time + time).inSeconds) > 1e18)
      #expect(abs(time.wholeMilliseconds) == 1 << 60)
    }
  }

  @Test
  func `an announced length beyond 2^50 frames, or a sum with such a length, counts as unknown`() {
    #expect(FrameCount(announced: 1 << 50) == FrameCount(1 << 50))
    #expect(FrameCount(announced: (1 << 50) + 1) == nil && FrameCount(announced: -1) == nil)
    #expect(FrameCount.sum(announced: [3, 4]) == 7)
    #expect(FrameCount.sum(announced: [3, nil]) == nil)
    #expect(FrameCount.sum(announced: [FrameCount(1 << 50), 1]) == nil)
  }
}

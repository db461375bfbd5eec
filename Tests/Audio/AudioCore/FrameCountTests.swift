import AudioCore
import Testing

@Suite struct FrameCountTests {
  @Test func `frames and durations are converted in both directions`() {
    #expect(FrameCount(.milliseconds(20), at: 44_100) == 882)
    #expect(FrameCount(44_100).duration(at: 44_100) == .seconds(1))
    #expect(FrameCount(1).duration(at: 48_000) == .nanoseconds(20_833))
  }

  @Test func `a day at 192 kHz converts to frames and back without a rounding error`() {
    let day = FrameCount(.seconds(86_400), at: 192_000)
    #expect(day == 16_588_800_000)
    #expect(day.duration(at: 192_000) == .seconds(86_400))
  }

  @Test(arguments: [1, -1]) func `frame durations are correct at very high rates`(sign: Int) {
    let rate = SampleRate(hertz: 20_000_000_000)
    #expect(
      FrameCount(sign * 19_999_999_999).duration(at: rate) == .nanoseconds(sign * 999_999_999))
    #expect(FrameCount(sign * .max).duration(at: 1) == .seconds(sign * .max))
  }

  @Test(arguments: [Int64.max, .min])
  func `adding to the frame count of an infinite duration does not overflow`(seconds: Int64) {
    let frames = FrameCount(.seconds(seconds), at: 192_000)
    #expect(abs((frames + 192_000).duration(at: 192_000).inSeconds) > 1e12)
    #expect(frames.converted(from: 8_000, to: 192_000) == frames)
  }

  @Test func `a frame count can be multiplied by an integer on either side`() {
    #expect(FrameCount(480) * 3 == 1_440 && 3 * FrameCount(480) == 1_440)
    let product: FrameCount = 480 * 3
    #expect(product == 1_440)
  }

  @Test func `a frame count converts between rates to the nearest frame`() {
    #expect(FrameCount(44_100).converted(from: 44_100, to: 16_000) == 16_000)
    #expect(FrameCount(1).converted(from: 48_000, to: 16_000) == 0)
  }
}

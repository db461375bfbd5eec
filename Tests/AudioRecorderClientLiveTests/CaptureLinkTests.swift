import AudioCore
import AudioThreads
import SoundCard
import Testing

@testable import AudioRecorderClientLive

@Suite struct CaptureLinkTests {
  @Test(arguments: [(160, 64_000), (16_000, 64_000), (160_000, 640_000)])
  func `the ring holds four seconds, and four periods where those are longer`(
    period: Int, capacity: Int
  ) throws {
    let format = AudioFormat(sampleRate: 16_000, channelCount: 2)
    let link = try CaptureLink(
      device: PCMConfiguration(
        device: "slow", format: format, sampleFormat: .float32, period: FrameCount(period),
        buffer: FrameCount(4 * period)))
    #expect(link.samples.capacity == 2 * capacity)
  }
}

import AudioCore
import Testing

@testable import SyrinxCommand

struct ChannelComparisonTests {
  /// Returns whether a comparison of buffers of a second finds different channels.
  private func differ(
    _ seconds: Int, channelCount: Int = 2, _ samples: (_ frame: Int) -> [Float]
  ) -> Bool {
    var comparison = ChannelComparison()
    let format = AudioFormat(sampleRate: .speech, channelCount: channelCount)
    for second in 0..<seconds {
      let frames = (second * 16_000)..<((second + 1) * 16_000)
      comparison.add(
        AudioBuffer(
          format: format, samples: frames.flatMap(samples),
          firstFrame: FrameCount(frames.lowerBound)))
    }
    return comparison.differs
  }

  private func noise(_ frame: Int, _ seed: UInt64) -> Float {
    AudioSignal.noise(seed: seed, amplitude: 0.1).sample(at: FrameCount(frame), rate: .speech)
  }

  @Test func `channels with different sound differ`() {
    #expect(differ(2) { [noise($0, 1), noise($0, 2)] })
  }

  @Test func `channels that share sound, or have no sound, do not differ`() {
    #expect(!differ(2) { [noise($0, 1), noise($0, 1)] })
    #expect(!differ(2) { [noise($0, 1), -noise($0, 1)] })
    #expect(!differ(2) { [noise($0, 1) + noise($0, 2), noise($0, 1) + noise($0, 3)] })
    #expect(!differ(2) { [noise($0, 1), noise($0, 2) / 1_000] })
    #expect(!differ(1) { [noise($0, 1), noise($0, 2)] })
    #expect(!differ(2, channelCount: 1) { [noise($0, 1)] })
  }

  @Test func `only the first minute is compared`() {
    #expect(!differ(70) { $0 < 60 * 16_000 ? [0, 0] : [noise($0, 1), noise($0, 2)] })
  }
}

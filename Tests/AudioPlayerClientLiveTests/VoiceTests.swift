import AudioCore
import AudioThreads
import SoundCard
import Testing

@testable import AudioPlayerClientLive

@Suite struct VoiceTests {
  private let format = AudioFormat(sampleRate: 8_000, channelCount: 2)

  @Test(arguments: [(200, 8_000), (800, 8_000), (1_000, 10_000), (80_000, 800_000)])
  func `a voice begins with a fifth of a second or, if longer, two periods`(
    period: Int, capacity: Int
  ) throws {
    let device = PCMConfiguration(
      device: "slow", format: format, sampleFormat: .float32, period: FrameCount(period),
      buffer: FrameCount(4 * period))
    let voice = try Voice(format: format, capacity: Voice.capacity(on: device), volume: 1) { _ in }
    #expect(voice.ring.capacity == capacity * 2)
    voice.give([Float](repeating: 0, count: capacity / 5 * 2 - 2))
    #expect(!voice.isPrimed)
    voice.give([0, 0])
    #expect(voice.isPrimed)
  }
}

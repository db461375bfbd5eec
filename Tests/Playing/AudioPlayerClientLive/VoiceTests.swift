import AudioCore
import AudioThreads
import SoundCard
import Testing

@testable import AudioPlayerClientLive

@Suite struct VoiceTests {
  private let format = AudioFormat(sampleRate: 8_000, channelCount: 2)

  @Test(arguments: [
    (40, 8_000, 160), (200, 8_000, 800), (1_000, 10_000, 4_000), (80_000, 800_000, 8_000),
  ])
  func `a voice begins once it has decoded one device buffer of audio, but at most one second`(
    period: Int, capacity: Int, prefill: Int
  ) throws {
    let device = PCMConfiguration(
      device: "slow", format: format, sampleFormat: .float32, period: FrameCount(period),
      buffer: FrameCount(4 * period))
    let voice = Voice(
      format: format, capacity: Voice.capacity(on: device), prefill: Voice.prefill(on: device),
      volume: 1
    ) { _ in }
    #expect(voice.ring.capacity == capacity * 2)
    voice.give([Float](repeating: 0, count: prefill * 2 - 2))
    #expect(!voice.isPrimed)
    voice.give([0, 0])
    #expect(voice.isPrimed)
  }

  @Test(arguments: [(Duration.zero, 1), (.milliseconds(15), 120), (.seconds(60), 8_000)])
  func `a voice begins once its requested prefill has been decoded, or once its ring is full`(
    prefill: Duration, frames: Int
  ) throws {
    let voice = Voice(format: format, capacity: .seconds(1), prefill: prefill, volume: 1) { _ in
    }
    voice.give([Float](repeating: 0, count: frames * 2 - 2))
    #expect(!voice.isPrimed)
    voice.give([0, 0])
    #expect(voice.isPrimed)
  }
}

import AudioCore
import Testing

@Suite struct LoudFramesTests {
  private let threshold = Float(Decibels(-20).amplitude)
  private let stereo = AudioFormat(sampleRate: 8_000, channelCount: 2)

  @Test func `a frame is loud if one of its channels reaches the threshold`() {
    let buffer = AudioBuffer(format: stereo, samples: [0, 0, 0, -0.1, 0.09, 0, 0.5, 0, 0, 0])
    #expect(buffer.firstLoudFrame(threshold) == 1)
    #expect(buffer.firstLoudFrame(threshold, from: 2) == 3)
    #expect(buffer.firstLoudFrame(threshold, from: 4) == nil)
    #expect(buffer.firstLoudFrame(threshold, from: 9) == nil)
    #expect(buffer.lastLoudFrame(threshold) == 3)
  }

  @Test func `silence has no loud frames`() {
    #expect(AudioBuffer(silence: 3, format: stereo).lastLoudFrame(threshold) == nil)
    #expect(AudioBuffer(silence: 0, format: stereo).firstLoudFrame(threshold) == nil)
  }
}

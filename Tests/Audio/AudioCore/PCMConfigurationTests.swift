import AudioCore
import Testing

@Suite struct PCMConfigurationTests {
  private let format = AudioFormat(sampleRate: 48_000, channelCount: 6)

  @Test func `channels are in WAV order unless the device reports another order`() {
    #expect(configuration(nil).channelLayout == .wav(6))
    let layout = ChannelLayout(.init(ChannelLayout.wav(6).positions.reversed()))
    #expect(configuration(layout).channelLayout == layout)
  }

  @Test func `the description of a configuration is one line`() {
    #expect(
      "\(configuration(nil))"
        == "\(format) (FL FR FC LFE RL RR), int24Packed, "
        + "1200 frames a period, 4800 in the buffer")
  }

  private func configuration(_ layout: ChannelLayout?) -> PCMConfiguration {
    PCMConfiguration(
      device: "hw:0", format: format, sampleFormat: .int24Packed, period: 1_200, buffer: 4_800,
      channelLayout: layout)
  }
}

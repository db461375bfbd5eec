import AudioCore
import Testing

@Suite struct AudioFormatTests {
  private let quad = AudioFormat(sampleRate: 48_000, channelCount: 4)
  private let surround = AudioFormat(
    sampleRate: 48_000,
    layout: ChannelLayout([.frontLeft, .frontRight, .frontCenter, .rearCenter]))

  @Test func `a format has the usual channel positions unless others are set`() {
    #expect(quad.layout == .wav(4))
    #expect(AudioFormat(sampleRate: 48_000, layout: .wav(4)) == quad)
    #expect(surround != quad && surround.channelCount == 4)
    #expect("\(surround.layout)" == "FL FR FC RC")
    #expect("\(quad)" == "48000 Hz, 4 channels")
    #expect("\(surround)" == "48000 Hz, channels FL FR FC RC")
  }

  @Test func `setting the channel count restores the usual channel positions`() {
    var format = surround
    format.channelCount = 6
    #expect(format.layout == .wav(6))
  }
}

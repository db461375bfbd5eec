import AudioCore
import Testing

@testable import AudioRecorderClientLive

@Suite struct LoudFrameFinderTests {
  private let loudness = LoudFrameFinder(threshold: Decibels(-20))
  private let stereo = AudioFormat(sampleRate: 8_000, channelCount: 2)

  @Test func `a frame is loud if one of its channels reaches the threshold`() {
    let buffer = AudioBuffer(format: stereo, samples: [0, 0, 0, -0.1, 0.09, 0, 0.5, 0, 0, 0])
    #expect(loudness.firstLoud(in: buffer) == 1)
    #expect(loudness.firstLoud(in: buffer, from: 2) == 3)
    #expect(loudness.firstLoud(in: buffer, from: 4) == nil)
    #expect(loudness.firstLoud(in: buffer, from: 9) == nil)
    #expect(loudness.lastLoud(in: buffer) == 3)
  }

  @Test func `in silence no frame is loud`() {
    #expect(loudness.lastLoud(in: AudioBuffer(silence: 3, format: stereo)) == nil)
    #expect(loudness.firstLoud(in: AudioBuffer(silence: 0, format: stereo)) == nil)
  }
}

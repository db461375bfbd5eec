import AudioCore
import Testing

@testable import AudioRecorderClientLive

@Suite struct LoudFrameFinderTests {
  private let loudFrames = LoudFrameFinder(threshold: Decibels(-20))
  private let stereo = AudioFormat(sampleRate: 8_000, channelCount: 2)

  @Test func `a frame is loud if one of its channels reaches the threshold`() {
    let buffer = AudioBuffer(format: stereo, samples: [0, 0, 0, -0.1, 0.09, 0, 0.5, 0, 0, 0])
    #expect(loudFrames.first(in: buffer) == 1)
    #expect(loudFrames.first(in: buffer, from: 2) == 3)
    #expect(loudFrames.first(in: buffer, from: 4) == nil)
    #expect(loudFrames.first(in: buffer, from: 9) == nil)
    #expect(loudFrames.last(in: buffer) == 3)
  }

  @Test func `silence has no loud frames`() {
    #expect(loudFrames.last(in: AudioBuffer(silence: 3, format: stereo)) == nil)
    #expect(loudFrames.first(in: AudioBuffer(silence: 0, format: stereo)) == nil)
  }
}

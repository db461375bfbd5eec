import AudioCore
import Testing

@Suite struct AudioBufferTests {
  let stereo = AudioFormat(sampleRate: 8_000, channelCount: 2)

  @Test func `a buffer reports its frame count, its end, and its duration`() {
    let buffer = AudioBuffer(format: stereo, samples: [1, 2, 3, 4, 5, 6], firstFrame: 10)
    #expect(buffer.frameCount == 3)
    #expect(buffer.endFrame == 13)
    #expect(buffer.duration == .microseconds(375))
    #expect(buffer.channel(1) == [2, 4, 6])
  }

  @Test func `a slice keeps its position on the timeline`() {
    let buffer = AudioBuffer(format: stereo, samples: [1, 2, 3, 4, 5, 6], firstFrame: 10)
    let slice = buffer.frames(1..<3)
    #expect(slice.samples == [3, 4, 5, 6])
    #expect(slice.firstFrame == 11)
  }

  @Test func `decibels and amplitudes are converted in both directions`() {
    #expect(Decibels(amplitude: 1).value == 0)
    #expect(abs(Decibels(amplitude: 0.5).value - -6.0206) < 0.0001)
    #expect(abs(Decibels(-20).amplitude - 0.1) < 1e-12)
    #expect(Decibels(amplitude: 0) == .silence)
    #expect("\(Decibels(-12.34))" == "-12.3 dB")
  }
}

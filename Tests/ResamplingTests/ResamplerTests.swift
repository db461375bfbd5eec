import AudioCore
import Resampling
import Testing

/// All that comes out for a signal cut into blocks of this length, and the buffers themselves.
func converted(
  _ signal: AudioBuffer, to format: AudioFormat, block: FrameCount = 1_000,
  quality: Resampler.Quality = .high
) throws -> AudioBuffer {
  let resampler = try Resampler(from: signal.format, to: format, quality: quality)
  var samples: [Float] = []
  var begin: FrameCount = 0
  while begin < signal.frameCount {
    let end = min(begin + block, signal.frameCount)
    let output = try resampler.process(signal.frames(begin..<end))
    #expect(output.firstFrame.rawValue * format.channelCount == samples.count)
    samples += output.samples
    begin = end
  }
  samples += try resampler.finish().samples
  return AudioBuffer(format: format, samples: samples)
}

func mono(_ rate: SampleRate) -> AudioFormat { AudioFormat(sampleRate: rate, channelCount: 1) }

@Suite struct ResamplerTests {
  @Test(
    arguments: [
      (44_100, 16_000), (48_000, 44_100), (8_000, 48_000), (16_000, 48_000), (48_000, 16_000),
    ] as [(SampleRate, SampleRate)])
  func `a sine keeps its shape to 100 dB`(from: SampleRate, to: SampleRate) throws {
    let input = AudioSignal.sine(997).buffer(.seconds(2), format: mono(from))
    let output = try converted(input, to: mono(to))
    let ideal = AudioSignal.sine(997).buffer(.seconds(2), format: mono(to))
    // The edges, where the signal begins and ends suddenly, have no single right answer.
    let edge = to.hertz / 10
    let middle = edge..<(ideal.samples.count - edge)
    var power = 0.0
    var noise = 0.0
    for index in middle {
      let (is_, should) = (Double(output.samples[index]), Double(ideal.samples[index]))
      power += should * should
      noise += (is_ - should) * (is_ - should)
    }
    #expect(power / noise > 1e10)
  }
}

import AudioCore
import Resampling
import TestTools
import Testing

/// Resamples a signal, passed in blocks of `block` frames, and returns the whole output.
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
  samples += try resampler.flush().samples
  return AudioBuffer(format: format, samples: samples)
}

func mono(_ rate: SampleRate) -> AudioFormat { AudioFormat(sampleRate: rate, channelCount: 1) }

@Suite struct ResamplerTests {
  @Test(
    arguments: [
      (44_100, 16_000), (48_000, 44_100), (8_000, 48_000), (16_000, 48_000), (48_000, 16_000),
    ] as [(SampleRate, SampleRate)])
  func `a resampled sine has a signal-to-noise ratio above 100 dB`(from: SampleRate, to: SampleRate)
    throws
  {
    let input = AudioSignal.sine(997).buffer(.seconds(2), format: mono(from))
    let output = try converted(input, to: mono(to))
    let ideal = AudioSignal.sine(997).buffer(.seconds(2), format: mono(to))
    // The edges, where the signal begins and ends abruptly, have no single right answer.
    #expect(signalToNoiseRatio(ideal.samples, output.samples, edge: to.hertz / 10) > 100)
  }

  @Test func `resampled band-limited noise equals noise generated at the new rate`() throws {
    let noise = AudioSignal.noise(seed: 1, bandwidth: 7_000)
    let output = try converted(noise.buffer(.seconds(2), format: mono(48_000)), to: .speech)
    let ideal = noise.buffer(.seconds(2), format: .speech)
    #expect(abs(output.level.rms.value - ideal.level.rms.value) < 0.01)
    #expect(signalToNoiseRatio(ideal.samples, output.samples, edge: 1_600) > 40)
  }

  @Test(arguments: [1, 7, 441, 4_096, 100_000] as [FrameCount])
  func `resampling does not depend on the buffer lengths`(block: FrameCount) throws {
    let format = AudioFormat(sampleRate: 44_100, channelCount: 2)
    let input = AudioSignal.noise(seed: 3).buffer(20_000, format: format)
    for rate in [16_000, 48_000] as [SampleRate] {
      let target = AudioFormat(sampleRate: rate, channelCount: 2)
      let whole = try converted(input, to: target, block: input.frameCount)
      #expect(try converted(input, to: target, block: block) == whole)
    }
  }

  @Test(arguments: [0, 1, 2, 100, 999, 44_100, 100_001] as [FrameCount])
  func `the resampled length equals the input's duration`(count: FrameCount) throws {
    let input = AudioBuffer(silence: count, format: mono(44_100))
    for rate in [8_000, 16_000, 44_100, 48_000, 96_000] as [SampleRate] {
      let output = try converted(input, to: mono(rate)).frameCount
      let ideal = count.converted(from: 44_100, to: rate)
      #expect(abs(output.rawValue - ideal.rawValue) <= 1)
    }
  }

  @Test(
    arguments: [
      (48_000, 16_000, 3), (16_000, 48_000, 1), (44_100, 88_200, 1),
    ] as [(SampleRate, SampleRate, Int)])
  func `resampling does not delay an impulse`(from: SampleRate, to: SampleRate, factor: Int) throws
  {
    for quality in [Resampler.Quality.high, .low] {
      let place = FrameCount(900 * factor)
      let input = AudioSignal.impulse(at: place).buffer(.seconds(1), format: mono(from))
      let output = try converted(input, to: mono(to), quality: quality).samples
      let peak = output.indices.max { abs(output[$0]) < abs(output[$1]) }
      #expect(peak == place.converted(from: from, to: to).rawValue)
    }
  }

  @Test func `with low quality a resampled sine has a signal-to-noise ratio above 90 dB`() throws {
    let input = AudioSignal.sine(997).buffer(.seconds(2), format: mono(48_000))
    let output = try converted(input, to: mono(44_100), quality: .low)
    let ideal = AudioSignal.sine(997).buffer(.seconds(2), format: mono(44_100))
    #expect(signalToNoiseRatio(ideal.samples, output.samples, edge: 4_410) > 90)
  }

  @Test(
    arguments: [(44_100, 16_000), (48_000, 44_100), (8_000, 48_000)] as [(SampleRate, SampleRate)])
  func `resampling a sweep gives the same samples as SoX`(from: SampleRate, to: SampleRate) throws {
    let top = Double(min(from, to).hertz) * 0.35
    let sweep = AudioSignal.chirp(from: 50, to: top, over: .seconds(2))
    let input = sweep.buffer(.seconds(2), format: mono(from))
    let ours = try converted(input, to: mono(to)).samples
    let theirs = try Tool.sox(input.samples, from: from.hertz, to: to.hertz)
    #expect(abs(ours.count - theirs.count) <= 1)
    #expect(signalToNoiseRatio(theirs, ours, edge: 100) > 90)
  }

  @Test func `frequencies above half the new sample rate are removed`() throws {
    let input = AudioSignal.sine(10_000).buffer(.seconds(1), format: mono(48_000))
    let output = try converted(input, to: mono(16_000)).samples
    #expect(output[800..<15_200].allSatisfy { abs($0) < 1e-5 })
  }

  @Test func `audio in the output format passes unchanged`() throws {
    let resampler = try Resampler(from: .speech, to: .speech)
    let buffer = AudioSignal.noise(seed: 1).buffer(100, format: .speech, firstFrame: 50)
    #expect(try resampler.process(buffer) == buffer)
    let rest = try resampler.flush()
    #expect(rest.isEmpty)
  }

  @Test func `at equal rates only the channels are converted`() throws {
    let stereo = AudioFormat(sampleRate: 16_000, channelCount: 2)
    let down = try Resampler(from: stereo, to: .speech)
    let buffer = AudioBuffer(format: stereo, samples: [1, 0, 0.5, 0.5], firstFrame: 9)
    #expect(
      try down.process(buffer)
        == AudioBuffer(format: .speech, samples: [0.5, 0.5], firstFrame: 9))
    let up = try Resampler(from: .speech, to: stereo)
    let mono = AudioBuffer(format: .speech, samples: [1, 2])
    #expect(try up.process(mono).samples == [1, 1, 2, 2])
  }

  @Test func `rate and channels are converted together`() throws {
    let stereo = AudioFormat(sampleRate: 44_100, channelCount: 2)
    let input = AudioSignal.sine(440).buffer(.seconds(1), format: stereo)
    let single = AudioSignal.sine(440).buffer(.seconds(1), format: mono(44_100))
    #expect(try converted(input, to: .speech) == converted(single, to: .speech))
    let up = try converted(single, to: AudioFormat(sampleRate: 16_000, channelCount: 2))
    #expect(up.channel(0) == up.channel(1))
    #expect(up.channel(0) == (try converted(single, to: .speech).samples))
  }

  @Test func `resampled frames are numbered from the input's first frame at the new rate`() throws {
    let resampler = try Resampler(from: mono(48_000), to: .speech)
    let input = AudioSignal.noise(seed: 1)
    let first = try resampler.process(
      input.buffer(9_600, format: mono(48_000), firstFrame: 48_000))
    #expect(first.firstFrame == 16_000)
    let last = try resampler.flush()
    #expect(last.firstFrame == first.endFrame)
    #expect(last.endFrame == 19_200)
  }

  @Test func `a buffer of another format is refused`() throws {
    let resampler = try Resampler(from: mono(48_000), to: .speech)
    #expect(throws: ResamplingError.wrongFormat(expected: mono(48_000), actual: .speech)) {
      try resampler.process(AudioBuffer(silence: 10, format: .speech))
    }
  }

  @Test func `after flush no audio is accepted until reset`() throws {
    let resampler = try Resampler(from: mono(48_000), to: .speech)
    let buffer = AudioSignal.noise(seed: 5).buffer(4_800, format: mono(48_000))
    let first = try [resampler.process(buffer), resampler.flush()]
    #expect(throws: ResamplingError.finished) { try resampler.process(buffer) }
    #expect(throws: ResamplingError.finished) { try resampler.flush() }
    try resampler.reset()
    #expect(try [resampler.process(buffer), resampler.flush()] == first)
  }

  @Test func `a conversion between rates too far apart is an error that names the rates`() {
    let error = #expect(throws: ResamplingError.self) {
      try Resampler(from: mono(1), to: mono(2_000_000_000))
    }
    #expect("\(error as Any)".contains("2000000000 Hz"))
  }
}

/// Returns the ratio of the signal to its difference from `other`, in dB, excluding both edges.
func signalToNoiseRatio(_ signal: [Float], _ other: [Float], edge: Int) -> Double {
  var power = 0.0
  var noise = 0.0
  for index in edge..<(min(signal.count, other.count) - edge) {
    power += Double(signal[index]) * Double(signal[index])
    noise +=
      (Double(signal[index]) - Double(other[index]))
      * (Double(signal[index]) - Double(other[index]))
  }
  return Decibels(amplitude: (power / noise).squareRoot()).value
}

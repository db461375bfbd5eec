import AudioCore
import Testing

@Suite struct AudioSignalTests {
  let mono = AudioFormat(sampleRate: 48_000, channelCount: 1)
  let stereo = AudioFormat(sampleRate: 48_000, channelCount: 2)

  @Test(arguments: [
    AudioSignal.sine(440), .chirp(from: 100, to: 8_000, over: .seconds(1)), .noise(seed: 7),
    .noise(seed: 7, bandwidth: 7_000), .noise(seed: 7).during(.milliseconds(3) ..< .seconds(1)),
  ])
  func `two adjacent buffers of a signal contain the same frames as one buffer over both`(
    signal: AudioSignal
  ) {
    let whole = signal.buffer(1_000, format: mono)
    let first = signal.buffer(300, format: mono)
    let second = signal.buffer(700, format: mono, firstFrame: 300)
    #expect(whole.samples == first.samples + second.samples)
  }

  @Test func `every channel carries the same signal`() {
    let buffer = AudioSignal.sine(440).buffer(64, format: stereo)
    #expect(buffer.channel(0) == buffer.channel(1))
    #expect(buffer.channel(0) == AudioSignal.sine(440).buffer(64, format: mono).samples)
  }

  @Test func `a sine has the requested frequency and amplitude`() {
    let buffer = AudioSignal.sine(1_000, amplitude: 0.25).buffer(.seconds(1), format: mono)
    let crossings = zip(buffer.samples, buffer.samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
    #expect(crossings == 999 || crossings == 1_000)
    #expect(abs(buffer.level.peak.value - -12.04) < 0.01)
    #expect(abs(buffer.level.rms.value - -15.05) < 0.01)
  }

  @Test func `a chirp rises from its low to its high frequency`() {
    let signal = AudioSignal.chirp(from: 100, to: 2_100, over: .seconds(2))
    let buffer = signal.buffer(.seconds(2), format: mono)
    let halves = [buffer.frames(0..<48_000), buffer.frames(48_000..<96_000)]
    let crossings = halves.map { half in
      zip(half.samples, half.samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
    }
    #expect(abs(crossings[0] - 600) <= 1)
    #expect(abs(crossings[1] - 1_600) <= 1)
  }

  @Test func `two noises with the same seed are identical`() {
    let noise = AudioSignal.noise(seed: 1).buffer(4_800, format: mono)
    #expect(noise == AudioSignal.noise(seed: 1).buffer(4_800, format: mono))
    #expect(noise != AudioSignal.noise(seed: 2).buffer(4_800, format: mono))
    #expect(abs(noise.level.rms.value - -10.79) < 0.2)
    #expect(abs(noise.samples.reduce(0, +) / 4_800) < 0.02)
  }

  @Test func `band-limited noise is the same signal at every sample rate`() {
    let noise = AudioSignal.noise(seed: 1, bandwidth: 7_000)
    let high = noise.buffer(.seconds(1), format: mono)
    let low = noise.buffer(.seconds(1), format: .speech)
    #expect(low.samples.indices.allSatisfy { abs(low.samples[$0] - high.samples[3 * $0]) < 1e-5 })
    let white = AudioSignal.noise(seed: 1).buffer(.seconds(1), format: mono)
    #expect(abs(high.level.rms.value - white.level.rms.value) < 0.1)
  }

  @Test func `a signal limited to time ranges is silent outside the ranges at every rate`() {
    let signal = AudioSignal { _, _ in 1 }
      .during(.milliseconds(250) ..< .milliseconds(500), .milliseconds(750) ..< .seconds(1))
    for rate in [8_000, 48_000] as [SampleRate] {
      let format = AudioFormat(sampleRate: rate, channelCount: 1)
      let buffer = signal.buffer(.seconds(2), format: format)
      let quarter = rate.hertz / 4
      let quarters = (0..<8).map { buffer.samples[($0 * quarter)..<(($0 + 1) * quarter)] }
      #expect(quarters.map { Set($0) } == [[0], [1], [0], [1], [0], [0], [0], [0]])
    }
  }

  @Test func `an impulse lasts one frame`() {
    let buffer = AudioSignal.impulse(at: 3).buffer(5, format: stereo)
    #expect(buffer.samples == [0, 0, 0, 0, 0, 0, 1, 1, 0, 0])
  }

  @Test func `the level of silence is negative infinity`() {
    let level = AudioSignal.silence.buffer(10, format: mono).level
    #expect(level == .silence)
    #expect("\(level.peak)" == "-inf dB")
  }
}

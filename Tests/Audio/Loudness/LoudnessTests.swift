import AudioCore
import CEBUR128
import Glibc
import Loudness
import Testing

private let stereo = AudioFormat(sampleRate: 48_000, channelCount: 2)

private func stream(
  _ buffer: AudioBuffer, block: FrameCount = 4_801
) -> AsyncThrowingStream<AudioBuffer, any Error> {
  AsyncThrowingStream { continuation in
    var begin: FrameCount = 0
    while begin < buffer.frameCount {
      let end = min(begin + block, buffer.frameCount)
      continuation.yield(buffer.frames(begin..<end))
      begin = end
    }
    continuation.finish()
  }
}

private func measure(
  _ signal: AudioSignal, _ duration: Duration, format: AudioFormat = stereo
) async throws -> AudioMeasurement {
  try #require(try await stream(signal.buffer(duration, format: format)).measured())
}

private let decibels23 = Float(pow(10, -23.0 / 20))

/// Whether two figures differ by at most `tolerance`.
private func isNear(_ value: Double, _ expected: Double, _ tolerance: Double) -> Bool {
  abs(value - expected) <= tolerance
}

@Suite struct LoudnessTests {
  @Test(arguments: [44_100, 48_000, 96_000] as [SampleRate])
  func `a sine of 997 Hz at -23 dBFS in two channels has -23 LUFS`(rate: SampleRate) async throws {
    let result = try await measure(
      .sine(997, amplitude: decibels23), .seconds(20),
      format: AudioFormat(sampleRate: rate, channelCount: 2))
    #expect(isNear(result.integrated.lufs, -23, 0.1))
    #expect(isNear(result.maximumMomentary.lufs, -23, 0.1))
    #expect(isNear(result.maximumShortTerm.lufs, -23, 0.1))
    #expect(isNear(result.range, 0, 0.1))
    #expect(isNear(result.level.peak.value, -23, 0.01))
    #expect(isNear(result.level.rms.value, -26.01, 0.01))
    #expect(result.channels.count == 2 && result.frameCount == FrameCount(20 * rate.hertz))
  }

  @Test func `one channel is 3 LU quieter than two, and surround channels count more`() async throws
  {
    let one = try await measure(
      .sine(997, amplitude: decibels23), .seconds(5),
      format: AudioFormat(sampleRate: 48_000, channelCount: 1))
    #expect(isNear(one.integrated.lufs, -26, 0.1))
    // Three front channels, and two rear channels that count 1.5 dB more; the LFE does not count.
    let six = try await measure(
      .sine(997, amplitude: decibels23), .seconds(5),
      format: AudioFormat(sampleRate: 48_000, channelCount: 6))
    #expect(isNear(six.integrated.lufs, -26 + 10 * log10(3 + 2 * 1.41), 0.1))
  }

  @Test func `quiet parts count for the loudness range but not for the maximum loudness`()
    async throws
  {
    let signal = AudioSignal { frame, rate in
      let isLoud = frame / (20 * rate.hertz) % 2 == 0
      let level = isLoud ? -20.0 : -30.0
      let turns = 997 * Double(frame % (20 * rate.hertz)) / Double(rate.hertz)
      return Float(pow(10, level / 20) * sin(2 * .pi * turns))
    }
    // EBU Tech 3342, test 1: 20 s at -20 dBFS and 20 s at -30 dBFS have a range of 10 LU.
    let result = try await measure(signal, .seconds(40))
    #expect(isNear(result.range, 10, 1))
    #expect(isNear(result.maximumShortTerm.lufs, -20, 0.1))
  }

  @Test func `a peak between samples is found`() async throws {
    // A sine at a quarter of the sample rate, sampled at 45 degrees: all samples are at 0.707 of
    // its peak.
    let signal = AudioSignal { frame, _ in Float([0.5, 0.5, -0.5, -0.5][frame % 4]) }
    let result = try await measure(signal, .seconds(1))
    #expect(isNear(result.level.peak.value, -6.02, 0.01))
    #expect(isNear(result.truePeak.value, -3.01, 0.2))
  }

  @Test func `clipped samples, clipped runs, a constant offset, and silent ends are measured`()
    async throws
  {
    let rate = stereo.sampleRate.hertz
    let signal = AudioSignal { frame, _ in
      switch frame {
      case ..<rate, (3 * rate)...: 0
      case rate + 10, rate + 20...rate + 24: 1
      default: 0.25
      }
    }
    let result = try await measure(signal, .seconds(5))
    #expect(result.silenceAtStart == FrameCount(rate))
    #expect(result.silenceAtEnd == FrameCount(2 * rate))
    #expect(result.channels.map(\.clippedSampleCount) == [6, 6])
    #expect(result.channels.map(\.clippedRunCount) == [1, 1])
    #expect(result.clippedSampleCount == 12)
    #expect(isNear(result.channels[0].offset, 0.1, 0.001))
    #expect(isNear(result.noiseFloor.value, -12, 0.2))
  }

  @Test func `the noise floor is measured in pauses, not at the silent ends`() async throws {
    let rate = stereo.sampleRate.hertz
    let noise = AudioSignal.noise(seed: 1, amplitude: 0.002)
    let signal = AudioSignal { frame, _ in
      if frame < rate { return 0 }
      let isPause = frame / rate % 3 == 2
      return noise.sample(at: FrameCount(frame), rate: 48_000) * (isPause ? 1 : 100)
    }
    let result = try await measure(signal, .seconds(9))
    // The root mean square of uniform noise is 4.77 dB below its amplitude.
    #expect(isNear(result.noiseFloor.value, 20 * log10(0.002) - 4.77, 0.3))
  }

  @Test func `NaN is counted and measured as silence`() async throws {
    let signal = AudioSignal { frame, _ in frame == 100 ? .nan : 0.5 }
    let result = try await measure(signal, .seconds(1))
    #expect(result.nonFiniteSampleCount == 2)
    #expect(isNear(result.level.rms.value, -6.02, 0.01) && result.integrated.lufs.isFinite)
  }

  @Test(arguments: [1e20, .greatestFiniteMagnitude] as [Float])
  func `samples far beyond full scale are measured without clipping`(amplitude: Float) async throws
  {
    let result = try await measure(
      AudioSignal { frame, _ in frame % 2 == 0 ? amplitude : -amplitude }, .seconds(1))
    let level = 20 * log10(Double(amplitude))
    #expect(isNear(result.level.peak.value, level, 0.01))
    #expect(isNear(result.level.rms.value, level, 0.01))
    #expect(result.channels.map(\.offset) == [0, 0])
    #expect(result.truePeak.value.isFinite && result.noiseFloor.value == 0)
  }

  @Test func `silence has no loudness, and empty audio has no measurement`() async throws {
    let result = try await measure(.silence, .seconds(4))
    #expect(result.integrated == .silence && result.truePeak == .silence)
    #expect(result.noiseFloor == .silence && result.silenceAtStart == result.frameCount)
    #expect(try await stream(AudioBuffer(silence: 0, format: stereo)).measured() == nil)
  }

  @Test func `too many channels and a changed format are measurement errors`() async throws {
    let wide = AudioFormat(sampleRate: 48_000, channelCount: 65)
    await #expect(throws: LoudnessError.unsupported(wide)) {
      try await stream(AudioBuffer(silence: 10, format: wide)).measured()
    }
    var meter = LoudnessMeter(every: .milliseconds(100))
    _ = try meter.process(AudioBuffer(silence: 10, format: stereo))
    #expect(throws: LoudnessError.formatChanged(expected: stereo, actual: .speech)) {
      try meter.process(AudioBuffer(silence: 10, format: .speech))
    }
  }

  @Test func `a gap completes the current interval before the next buffer is measured`() throws {
    let loud = [Float](repeating: 0.5, count: 1_918)
    var meter = LoudnessMeter(every: .milliseconds(100))
    #expect(try meter.process(AudioBuffer(silence: 960, format: stereo)).isEmpty)
    let broken = AudioBuffer(format: stereo, samples: [.nan, .nan] + loud, firstFrame: 48_000)
    #expect(try meter.process(broken).map(\.total.frameCount) == [960])
    #expect(
      try meter.process(AudioBuffer(silence: 480, format: stereo)).map(\.total.frameCount) == [
        1_920
      ])
    #expect(meter.flush().map(\.total.nonFiniteSampleCount) == [2])
  }

  @Test func `a meter reports each interval, and the last reading covers all audio`() async throws {
    let buffer = AudioSignal.noise(seed: 7).buffer(.milliseconds(3_250), format: stereo)
    var readings: [LoudnessReading] = []
    for try await reading in stream(buffer).loudness(every: .milliseconds(500)) {
      readings.append(reading)
    }
    #expect(readings.map(\.levels.frameCount) == Array(repeating: 24_000, count: 6) + [12_000])
    let last = try #require(readings.last)
    let whole = try #require(try await stream(buffer, block: 999).measured())
    #expect(last.total.frameCount == whole.frameCount && last.total.truePeak == whole.truePeak)
    #expect(isNear(last.total.level.rms.value, whole.level.rms.value, 1e-5))
    #expect(isNear(last.total.integrated.lufs, whole.integrated.lufs, 1e-9))
    #expect(isNear(last.momentary.lufs, whole.integrated.lufs, 1))
  }

  @Test(arguments: [(-60, 0), (-40, 48_000)] as [(Double, FrameCount)])
  func `silence at the start of a stream is measured against the requested silence level`(
    silence: Double, length: FrameCount
  ) async throws {
    // A second at -50 dBFS, and then a second at -6 dBFS.
    let signal = AudioSignal { frame, _ in frame < 48_000 ? 0.00316 : 0.5 }
    let buffer = signal.buffer(.seconds(2), format: stereo)
    var last: LoudnessReading?
    for try await reading in stream(buffer).loudness(silence: Decibels(silence)) {
      last = reading
    }
    #expect(last?.total.silenceAtStart == length)
  }

  @Test func `silence after sound has no loudness, although the filter still rings`() throws {
    let measurer = try AudioMeasurer(stereo, silence: Decibels(-60))
    try measurer.add(AudioSignal.sine(440).buffer(.seconds(1), format: stereo))
    #expect(measurer.momentary > LoudnessLevel(lufs: -30))
    for _ in 0..<4 {
      try measurer.add(AudioBuffer(silence: FrameCount(.seconds(1), at: 48_000), format: stereo))
    }
    #expect(measurer.momentary == .silence && measurer.shortTerm == .silence)
  }
}

/// Our own results are compared with those of libebur128.
@Suite struct LibraryAgreementTests {
  @Test(arguments: [44_100, 96_000, 192_000] as [SampleRate])
  func `peaks and loudness equal libebur128's results`(rate: SampleRate) async throws {
    let format = AudioFormat(sampleRate: rate, channelCount: 2)
    let noise = AudioSignal.noise(seed: 5, amplitude: 1)
    let signal = AudioSignal { frame, rate in
      let loudness = 0.1 + 0.8 * Float(frame % 100_000) / 100_000
      return noise.sample(at: FrameCount(frame), rate: rate) * loudness
    }
    let buffer = signal.buffer(.milliseconds(7_730), format: format)
    let result = try #require(try await stream(buffer, block: 1_237).measured())
    let library = try #require(Library(buffer))
    #expect(isNear(result.truePeak.amplitude, library.truePeak, 1e-5))
    #expect(isNear(result.level.peak.amplitude, library.peak, 1e-7))
    #expect(isNear(result.integrated.lufs, library.integrated, 0.01))
    #expect(isNear(result.range, library.range, 0.2))
    #expect(isNear(result.maximumMomentary.lufs, library.momentary, 0.001))
    #expect(isNear(result.maximumShortTerm.lufs, library.shortTerm, 0.001))
  }
}

/// The results of libebur128 without a histogram.
private struct Library {
  var truePeak = 0.0
  var peak = 0.0
  var integrated = 0.0
  var range = 0.0
  var momentary = -Double.infinity
  var shortTerm = -Double.infinity

  init?(_ buffer: AudioBuffer) {
    let mode = EBUR128_MODE_I.rawValue | EBUR128_MODE_LRA.rawValue | EBUR128_MODE_TRUE_PEAK.rawValue
    var owned = ebur128_init(
      UInt32(buffer.format.channelCount), UInt(buffer.format.sampleRate.hertz), Int32(mode))
    guard let state = owned else { return nil }
    defer { ebur128_destroy(&owned) }
    let step = buffer.format.sampleRate.hertz / 10
    buffer.samples.withUnsafeBufferPointer { samples in
      var frame = 0
      while frame < buffer.frameCount.rawValue {
        let count = min(step, buffer.frameCount.rawValue - frame)
        guard let first = samples.baseAddress else { return }
        ebur128_add_frames_float(state, first + frame * buffer.format.channelCount, count)
        frame += count
        note(state, after: frame / step, isWhole: frame.isMultiple(of: step))
      }
    }
    ebur128_true_peak(state, 0, &truePeak)
    ebur128_sample_peak(state, 0, &peak)
    ebur128_loudness_global(state, &integrated)
    ebur128_loudness_range(state, &range)
  }

  private mutating func note(
    _ state: UnsafeMutablePointer<ebur128_state>, after steps: Int, isWhole: Bool
  ) {
    guard isWhole else { return }
    var level = 0.0
    ebur128_loudness_momentary(state, &level)
    if steps >= 4 { momentary = max(momentary, level) }
    ebur128_loudness_shortterm(state, &level)
    if steps >= 30 { shortTerm = max(shortTerm, level) }
  }
}

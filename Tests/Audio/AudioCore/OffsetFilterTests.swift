import Testing

@testable import AudioCore

@Suite struct OffsetFilterTests {
  private let format = AudioFormat(sampleRate: 48_000, channelCount: 2)

  /// Returns the peak of each channel after the filter, for one second of a signal with `offsets`.
  ///
  /// The signal is passed in buffers of `frames` frames.
  private func peaks(of signal: AudioSignal, offsets: [Float], frames: Int = 480) -> [Float] {
    var filter = OffsetFilter()
    var peaks: [Float] = [0, 0]
    let audio = signal.buffer(.seconds(1), format: format)
    for begin in stride(from: 0, to: audio.samples.count, by: 2 * frames) {
      let part = audio.samples[begin..<begin + 2 * frames]
      let samples = part.enumerated().map { $1 + offsets[$0 % 2] }
      let levels = filter.levels(of: AudioBuffer(format: format, samples: samples)).samples
      for (index, level) in levels.enumerated() {
        peaks[index % 2] = max(peaks[index % 2], abs(level))
      }
    }
    return peaks
  }

  @Test(arguments: [1, 3, 480])
  func `the filter removes a constant offset from the first sample on, for any buffer size`(
    frames: Int
  ) {
    let peaks = peaks(of: .sine(440, amplitude: 0), offsets: [0.5, -0.25], frames: frames)
    #expect(peaks.allSatisfy { $0 < 0.000_01 }, "\(peaks)")
  }

  @Test func `a sound has the same level with and without an offset`() {
    let peaks = peaks(of: .sine(440, amplitude: 0.01), offsets: [0, 0.3])
    #expect(peaks.allSatisfy { (0.009...0.011).contains($0) }, "\(peaks)")
  }

  @Test func `the filter removes an offset again after a gap of zeros`() {
    var filter = OffsetFilter()
    let offset = AudioBuffer(format: format, samples: Array(repeating: 0.5, count: 9_600))
    let gap = AudioBuffer(format: format, samples: Array(repeating: 0, count: 19_200))
    for buffer in [offset, gap, offset] {
      #expect(filter.levels(of: buffer).samples.allSatisfy { abs($0) < 0.000_01 })
    }
  }

  @Test(arguments: [1, 480])
  func `the filter keeps positive pulses that are separated by zeros`(frames: Int) {
    var filter = OffsetFilter()
    // A square wave of 240 Hz.
    let wave = (0..<48_000).flatMap { Array(repeating: $0 % 200 < 100 ? Float(0.5) : 0, count: 2) }
    var peak: Float = 0
    for begin in stride(from: 0, to: wave.count, by: 2 * frames) {
      let buffer = AudioBuffer(format: format, samples: Array(wave[begin..<begin + 2 * frames]))
      let levels = filter.levels(of: buffer).samples
      if begin > wave.count / 2 { peak = max(peak, levels.map(abs).max() ?? 0) }
    }
    #expect(peak > 0.2)
  }

  @Test func `the filter outputs silence for the zeros after a sound`() {
    var filter = OffsetFilter()
    _ = filter.levels(of: AudioBuffer(format: format, samples: Array(repeating: 0.5, count: 960)))
    let zeros = AudioBuffer(format: format, samples: Array(repeating: 0, count: 960))
    #expect(filter.levels(of: zeros).samples.allSatisfy { $0 == 0 })
  }

  @Test func `NaN and infinite samples are kept and do not affect the offset`() {
    var filter = OffsetFilter()
    var samples = [Float](repeating: 0.5, count: 960)
    (samples[0], samples[11]) = (.nan, .infinity)
    let levels = filter.levels(of: AudioBuffer(format: format, samples: samples)).samples
    #expect(levels[0].isNaN && levels[11] == .infinity)
    let next = AudioBuffer(format: format, samples: Array(repeating: 0.5, count: 960))
    #expect(filter.levels(of: next).samples.allSatisfy { abs($0) < 0.01 })
  }
}

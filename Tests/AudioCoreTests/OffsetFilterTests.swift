import Testing

@testable import AudioCore

@Suite struct OffsetFilterTests {
  private let format = AudioFormat(sampleRate: 48_000, channelCount: 2)

  /// The peaks of both channels behind the filter, for a second with other offsets in 10 ms buffers.
  private func peaks(of signal: AudioSignal, offsets: [Float]) -> [Float] {
    var filter = OffsetFilter()
    var peaks: [Float] = [0, 0]
    let audio = signal.buffer(.seconds(1), format: format)
    for begin in stride(from: 0, to: audio.samples.count, by: 960) {
      let samples = audio.samples[begin..<begin + 960].enumerated().map { $1 + offsets[$0 % 2] }
      let levels = filter.levels(of: AudioBuffer(format: format, samples: samples)).samples
      for (index, level) in levels.enumerated() {
        peaks[index % 2] = max(peaks[index % 2], abs(level))
      }
    }
    return peaks
  }

  @Test func `a constant offset has no level from its first sample on`() {
    let peaks = peaks(of: .sine(440, amplitude: 0), offsets: [0.5, -0.25])
    #expect(peaks.allSatisfy { $0 < 0.000_01 }, "\(peaks)")
  }

  @Test func `a sound has its level with and without an offset`() {
    let peaks = peaks(of: .sine(440, amplitude: 0.01), offsets: [0, 0.3])
    #expect(peaks.allSatisfy { (0.009...0.011).contains($0) }, "\(peaks)")
  }

  @Test func `silence after a sound has no level`() {
    var filter = OffsetFilter()
    _ = filter.levels(of: AudioBuffer(format: format, samples: Array(repeating: 0.5, count: 960)))
    let zeros = AudioBuffer(format: format, samples: Array(repeating: 0, count: 960))
    #expect(filter.levels(of: zeros).samples.allSatisfy { $0 == 0 })
  }

  @Test func `samples that are NaN or infinite stay, and those after them have their level`() {
    var filter = OffsetFilter()
    var samples = [Float](repeating: 0.5, count: 960)
    (samples[0], samples[11]) = (.nan, .infinity)
    let levels = filter.levels(of: AudioBuffer(format: format, samples: samples)).samples
    #expect(levels[0].isNaN && levels[11] == .infinity)
    let next = AudioBuffer(format: format, samples: Array(repeating: 0.5, count: 960))
    #expect(filter.levels(of: next).samples.allSatisfy { abs($0) < 0.01 })
  }
}

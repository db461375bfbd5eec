package import AudioCore
import Glibc

/// Measures one channel: its peaks, root mean square, offset, and clipping.
struct ChannelMeter: Sendable {
  /// The maximum length of a chunk: short enough that sums are exact in Float32 and that samples
  /// stay in the cache.
  static let chunkFrameCount = 512

  private(set) var highest: Float = 0
  private(set) var truePeak: Float = 0
  private(set) var clippedCount = 0
  private(set) var clippedRunCount = 0
  private var sum = 0.0
  private(set) var squares = 0.0
  private var runLength = 0
  /// The earlier samples that the filter needs, followed by the latest chunk.
  private var window: [Float]
  private var recentHighest: Float = 0
  private let filter: TruePeakFilter

  init(_ filter: TruePeakFilter) {
    self.filter = filter
    window = Array(repeating: 0, count: filter.history + Self.chunkFrameCount)
  }

  /// Adds one channel of at most `chunkFrameCount` interleaved frames; returns the peak and the sum
  /// of squares of the added samples.
  mutating func add(
    _ samples: UnsafeBufferPointer<Float>, channel: Int, of channelCount: Int
  ) -> (highest: Float, squares: Double) {
    let (history, count) = (filter.history, samples.count / channelCount)
    // The memory is moved out of `self`, because the closure changes other properties while it uses
    // the memory.
    var window: [Float] = []
    swap(&window, &self.window)
    defer { swap(&window, &self.window) }
    let sums = window.withUnsafeMutableBufferPointer { window in
      for index in 0..<count {
        window[history + index] = samples[index * channelCount + channel]
      }
      let filled = UnsafeBufferPointer(rebasing: window[..<(history + count)])
      let sums = chunkSums(of: UnsafeBufferPointer(rebasing: filled[history...]))
      truePeak = filter.peak(
        of: filled, highest: max(sums.highest, recentHighest),
        atLeast: max(truePeak, sums.highest))
      if sums.highest >= AudioLevel.clippingAmplitude {
        noteClipping(in: filled[history...])
      } else {
        runLength = 0
      }
      recentHighest = 0
      for index in 0..<history {
        window[index] = window[count + index]
        recentHighest = max(recentHighest, abs(window[index]))
      }
      return sums
    }
    highest = max(highest, sums.highest)
    sum += sums.sum
    squares += sums.squares
    return (sums.highest, sums.squares)
  }

  private mutating func noteClipping(in samples: Slice<UnsafeBufferPointer<Float>>) {
    for sample in samples {
      runLength = abs(sample) >= AudioLevel.clippingAmplitude ? runLength + 1 : 0
      if runLength > 0 { clippedCount += 1 }
      if runLength == 2 { clippedRunCount += 1 }
    }
  }

  /// Returns the measurement of the channel after `frameCount` frames were added.
  func measurement(frameCount: FrameCount) -> ChannelMeasurement {
    let count = Double(max(1, frameCount.rawValue))
    return ChannelMeasurement(
      level: AudioLevel(
        peak: Decibels(amplitude: Double(highest)),
        rms: Decibels(amplitude: (squares / count).squareRoot())),
      // A peak between samples may exceed the range of Float32, so it is limited.
      truePeak: Decibels(
        amplitude: Double(min(max(highest, truePeak), .greatestFiniteMagnitude))),
      offset: sum / count, clippedSampleCount: clippedCount, clippedRunCount: clippedRunCount)
  }
}

/// Returns the peak amplitude, the sum, and the sum of the squares of a few samples; processes
/// eight samples at once.
private func chunkSums(
  of samples: UnsafeBufferPointer<Float>
) -> (highest: Float, sum: Double, squares: Double) {
  let bytes = UnsafeRawBufferPointer(samples)
  var (highest, sum, squares) = (SIMD8<Float>(), SIMD8<Float>(), SIMD8<Float>())
  let whole = samples.count / 8 * 8
  for index in stride(from: 0, to: whole, by: 8) {
    let offset = index * MemoryLayout<Float>.stride
    let eight = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
    // This is much faster than `pointwiseMax`, which calls a function for each lane.
    highest.replace(with: eight, where: eight .> highest)
    highest.replace(with: -eight, where: -eight .> highest)
    sum += eight
    squares += eight * eight
  }
  var result = (
    highest: highest.max(), sum: Double(sum.sum()), squares: Double(squares.sum())
  )
  var rest = samples[whole...]
  if !(result.sum.isFinite && result.squares.isFinite) {
    // Squares of samples above 1.8e19 are too large for Float32, so the sums are computed again in
    // Float64.
    rest = samples[...]
    (result.sum, result.squares) = (0, 0)
  }
  for sample in rest {
    result.highest = max(result.highest, abs(sample))
    result.sum += Double(sample)
    result.squares += Double(sample) * Double(sample)
  }
  return result
}

/// The interpolation of BS.1770-4 that finds peaks between samples: four times the rate below 96
/// kHz, twice below 192 kHz, and the samples themselves at higher rates.
///
/// Its coefficients and results are those of libebur128: a sinc of 49 taps under a Hann window.
/// This filter is faster because it computes eight outputs at once and skips audio that is too
/// quiet to raise the peak.
package struct TruePeakFilter: Sendable {
  private static let tapCount = 49

  /// For each interpolated position between two samples, the filter coefficients; the first
  /// coefficient applies to the latest sample.
  private let phases: [[Float]]
  /// The maximum ratio of an output to the peak of the samples that it depends on.
  private let bound: Float

  /// The number of earlier samples on which an output depends.
  package let history: Int

  package init(_ rate: SampleRate) {
    let factor = rate < 96_000 ? 4 : rate < 192_000 ? 2 : 1
    let phases = (1..<max(factor, 1)).map { phase in
      stride(from: phase, to: Self.tapCount, by: factor).map { Self.coefficient($0, factor) }
    }
    self.phases = phases
    bound = phases.map { $0.reduce(0) { $0 + abs($1) } }.max() ?? 0
    history = (phases.map(\.count).max() ?? 1) - 1
  }

  private static func coefficient(_ tap: Int, _ factor: Int) -> Float {
    let angle = Double(tap - tapCount / 2) * .pi / Double(factor)
    let sinc = angle == 0 ? 1 : sin(angle) / angle
    return Float(sinc * 0.5 * (1 - cos(2 * .pi * Double(tap) / Double(tapCount - 1))))
  }

  /// Returns the maximum of `peak` and the filter's outputs for the samples from index `history`
  /// on.
  ///
  /// `highest` is the peak amplitude of all of `samples`.
  package func peak(
    of samples: UnsafeBufferPointer<Float>, highest: Float, atLeast peak: Float
  ) -> Float {
    guard highest * bound > peak else { return peak }
    return phases.reduce(peak) { max($0, Self.peak(of: samples, $1, from: history)) }
  }

  private static func peak(
    of samples: UnsafeBufferPointer<Float>, _ phase: [Float], from history: Int
  ) -> Float {
    phase.withUnsafeBufferPointer { phase in
      // Raw bytes can be loaded without alignment. Each load of eight samples lies within the
      // buffer, because `position` is at least `history`.
      let bytes = UnsafeRawBufferPointer(samples)
      var highest = SIMD8<Float>(repeating: 0)
      var position = history
      while position + 8 <= samples.count {
        var sum = SIMD8<Float>(repeating: 0)
        for tap in phase.indices {
          let offset = (position - tap) * MemoryLayout<Float>.stride
          sum += phase[tap] * bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
        }
        // This is much faster than `pointwiseMax`, which calls a function for each lane.
        highest.replace(with: sum, where: sum .> highest)
        highest.replace(with: -sum, where: -sum .> highest)
        position += 8
      }
      return (position..<max(position, samples.count)).reduce(highest.max()) { highest, position in
        max(highest, abs(phase.indices.reduce(0) { $0 + phase[$1] * samples[position - $1] }))
      }
    }
  }
}

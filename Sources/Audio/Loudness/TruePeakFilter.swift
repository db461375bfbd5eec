package import AudioCore
import Glibc

/// The interpolation of BS.1770-4 that finds peaks between samples: four times the rate below
/// 96 kHz, twice below 192 kHz, and the samples themselves from there on.
///
/// It has the coefficients of libebur128, a sinc of 49 taps under a Hann window, and the same
/// results; it is faster because it computes eight outputs at once, and none in stretches that are
/// too quiet to raise the peak.
package struct TruePeakFilter: Sendable {
  private static let tapCount = 49

  /// The coefficients of each output between two samples, the latest sample first.
  private let phases: [[Float]]
  /// No output exceeds the highest sample of its stretch by more than this factor.
  private let bound: Float

  /// The number of samples before a stretch that its outputs depend on.
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

  /// The highest of `peak` and the outputs for the samples from `history` on.
  ///
  /// - Parameter highest: the highest of all these samples and the ones before them.
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
      // Eight samples from any index: `position` and the taps before it lie within the buffer.
      let bytes = UnsafeRawBufferPointer(samples)
      var highest = SIMD8<Float>(repeating: 0)
      var position = history
      while position + 8 <= samples.count {
        var sum = SIMD8<Float>(repeating: 0)
        for tap in phase.indices {
          let offset = (position - tap) * MemoryLayout<Float>.stride
          sum += phase[tap] * bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
        }
        // Much faster than `pointwiseMax`, which calls a function for each lane.
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

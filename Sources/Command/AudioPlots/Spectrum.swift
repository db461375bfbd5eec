import CKissFFT
import Glibc

/// The power spectrum of one window of samples, by kissfft, because its license is BSD and FFTW's
/// is GPL.
struct Spectrum: ~Copyable {
  private let length: Int
  private let setup: kiss_fftr_cfg
  // Pointers, because a window takes a tenth longer with the bounds checks of arrays.
  private let window: UnsafeMutablePointer<Float>
  private let input: UnsafeMutablePointer<Float>
  private let output: UnsafeMutablePointer<kiss_fft_cpx>

  /// - Parameter length: the samples of a window, a power of two.
  init?(length: Int) {
    guard let setup = kiss_fftr_alloc(Int32(length), 0, nil, nil) else { return nil }
    (self.length, self.setup) = (length, setup)
    window = .allocate(capacity: length)
    input = .allocate(capacity: length)
    output = .allocate(capacity: length / 2 + 1)
    // A Hann window halves amplitudes, and the other half of a sine is in the negative frequencies.
    let scale = 4 / Double(length)
    for index in 0..<length {
      window[index] = Float(scale * (0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(length))))
    }
  }

  deinit {
    // In C, `kiss_fftr_free` is a macro for this.
    free(UnsafeMutableRawPointer(setup))
    window.deallocate()
    input.deallocate()
    output.deallocate()
  }

  /// Adds the power of each frequency of a window, where a sine at full scale has 1.
  ///
  /// The corresponding C function is `kiss_fftr`.
  ///
  /// - Parameters:
  ///   - samples: interleaved samples.
  ///   - first: the index of the window's first sample.
  ///   - step: the indices from one sample of the window to the next.
  ///   - powers: the sums of half a window's length of frequencies, and one more.
  func measure(_ samples: [Float], from first: Int, step: Int, addingTo powers: inout [Float]) {
    precondition(first >= 0 && step > 0 && first + (length - 1) * step < samples.count)
    precondition(powers.count == length / 2 + 1)
    samples.withUnsafeBufferPointer { samples in
      let source = samples.baseAddress! + first
      // The compiler vectorizes a loop whose step it knows.
      switch step {
      case 1: load(source, step: 1)
      case 2: load(source, step: 2)
      default: load(source, step: step)
      }
    }
    kiss_fftr(setup, input, output)
    powers.withUnsafeMutableBufferPointer { powers in
      for (index, bin) in UnsafeBufferPointer(start: output, count: length / 2 + 1).enumerated() {
        powers[index] += bin.r * bin.r + bin.i * bin.i
      }
    }
  }

  @inline(__always)
  private func load(_ samples: UnsafePointer<Float>, step: Int) {
    for index in 0..<length { input[index] = samples[index * step] * window[index] }
  }
}

import CKissFFT
import Glibc

/// The power spectrum of one window of samples; kissfft, because its license is BSD and FFTW's GPL.
struct Spectrum: ~Copyable {
  private let setup: kiss_fftr_cfg
  private let window: [Float]
  private var output: [kiss_fft_cpx]
  private var input: [Float]

  /// - Parameter length: the samples of a window, a power of two.
  init?(length: Int) {
    guard let setup = kiss_fftr_alloc(Int32(length), 0, nil, nil) else { return nil }
    self.setup = setup
    window = (0..<length).map { Float(0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(length))) }
    output = Array(repeating: kiss_fft_cpx(), count: length / 2 + 1)
    input = Array(repeating: 0, count: length)
  }

  deinit {
    // In C, `kiss_fftr_free` is a macro for this.
    free(UnsafeMutableRawPointer(setup))
  }

  /// Writes the power of each frequency of a window, where a sine at full scale has 1.
  ///
  /// The corresponding C function is `kiss_fftr`.
  mutating func measure(_ samples: ArraySlice<Float>, into powers: inout [Float]) {
    for (index, sample) in samples.enumerated() { input[index] = sample * window[index] }
    kiss_fftr(setup, input, &output)
    // A Hann window halves amplitudes, and the other half of a sine is in the negative frequencies.
    let scale = 4 / Float(window.count)
    for index in powers.indices {
      let (real, imaginary) = (output[index].r * scale, output[index].i * scale)
      powers[index] = real * real + imaginary * imaginary
    }
  }
}

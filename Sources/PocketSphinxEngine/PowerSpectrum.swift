import Glibc

/// The power in each band of 2,048 samples under a Hann window, by a fast Fourier transform.
///
/// The tables are made once; one value serves any number of windows.
struct PowerSpectrum {
  static let length = 2_048

  private static let bits = 11
  private let window: [Float]
  private let cosines: [Float]
  private let sines: [Float]
  private let places: [Int]

  init() {
    let step = 2 * Double.pi / Double(Self.length)
    window = (0..<Self.length).map { Float(0.5 - 0.5 * cos(step * Double($0))) }
    cosines = (0..<(Self.length / 2)).map { Float(cos(step * Double($0))) }
    sines = (0..<(Self.length / 2)).map { Float(-sin(step * Double($0))) }
    places = (0..<Self.length).map { index in
      (0..<Self.bits).reduce(0) { $0 << 1 | index >> $1 & 1 }
    }
  }

  /// The powers of the bands 0 to 1,023, each of 7.8 Hz at a rate of 16 kHz.
  func bands(of samples: ArraySlice<Int16>) -> [Float] {
    var real = zip(samples, window).map { Float($0) * $1 }
    var imaginary = [Float](repeating: 0, count: Self.length)
    for (index, place) in places.enumerated() where index < place { real.swapAt(index, place) }
    var half = 1
    while half < Self.length {
      combine(half, &real, &imaginary)
      half *= 2
    }
    return (0..<(Self.length / 2)).map { real[$0] * real[$0] + imaginary[$0] * imaginary[$0] }
  }

  /// Makes transforms of twice `half` samples of every two of `half`.
  private func combine(_ half: Int, _ real: inout [Float], _ imaginary: inout [Float]) {
    let stride = Self.length / 2 / half
    for begin in Swift.stride(from: 0, to: Self.length, by: 2 * half) {
      for offset in 0..<half {
        let (low, high) = (begin + offset, begin + offset + half)
        let (cosine, sine) = (cosines[offset * stride], sines[offset * stride])
        let turned = (
          real[high] * cosine - imaginary[high] * sine,
          real[high] * sine + imaginary[high] * cosine
        )
        (real[high], imaginary[high]) = (real[low] - turned.0, imaginary[low] - turned.1)
        real[low] += turned.0
        imaginary[low] += turned.1
      }
    }
  }
}

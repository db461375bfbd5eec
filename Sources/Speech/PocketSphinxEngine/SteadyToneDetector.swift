import Glibc

/// Distinguishes speech from music, bells, and ringing telephones by their steady pitches.
///
/// PocketSphinx recognizes such sounds as words. The pitch of a voice moves: from one twentieth of
/// a second to the next, about a tenth of its power stays within two hertz, or a fifth for a
/// monotonous voice. In a melody, a chord, or a ring, even with drums, more than half of the power
/// stays within two hertz. Half a second of moving pitch that is not much quieter than the
/// preceding audio counts as speech, so speech before or over a ringing telephone is recognized.
struct SteadyToneDetector {
  /// If a larger fraction of the power has a steady pitch, the sound is not speech.
  static let most: Float = 0.4
  /// The number of measurements per decision: 0.6 s.
  static let count = 12
  /// The minimum number of measurements for a decision.
  static let fewest = 4
  /// Sounds below this fraction of the loudest power are background and are ignored.
  static let loud: Float = 0.015

  /// The interval of measurements: 50 ms.
  ///
  /// Each measurement covers the last 128 ms.
  private static let hop = 800
  /// The first band; bands are 7.8 Hz wide.
  ///
  /// Sound below 78 Hz is ignored as hum.
  private static let firstBand = 10
  /// The minimum power of a partial (a spectral peak), as a fraction of the window's power.
  private static let leastPart: Float = 0.003
  /// The maximum change of a steady partial's pitch, in bands: 1.9 Hz.
  private static let reach: Float = 0.24

  private let spectrum = PowerSpectrum()
  private var samples: [Int16] = []
  private var pitches: [Float] = []
  /// The newest measurements of loud sound, each with its steady power and its total power.
  private var measurements: [(steady: Float, all: Float)] = []
  private var loudest: Float = 0
  private var hasMoved = false

  /// Whether the utterance so far can be speech; true if too little was measured for a decision.
  var canBeSpeech: Bool {
    hasMoved || measurements.count < Self.fewest || measurements.count < Self.count && isMoving
  }

  /// Adds samples at 16 kHz.
  mutating func add(_ more: [Int16]) {
    samples += more
    while samples.count >= PowerSpectrum.length {
      measure(spectrum.bands(of: samples[..<PowerSpectrum.length]))
      samples.removeFirst(Self.hop)
    }
  }

  private mutating func measure(_ bands: [Float]) {
    let all = bands[Self.firstBand...].reduce(0, +)
    let partials = Self.partials(in: bands, least: all * Self.leastPart)
    let steady = partials.filter { partial in
      pitches.contains { abs($0 - partial.pitch) < Self.reach }
    }
    pitches = partials.map(\.pitch)
    add(steady: min(all, steady.reduce(0) { $0 + $1.power }), all: all)
  }

  private mutating func add(steady: Float, all: Float) {
    loudest = max(loudest, all)
    measurements.append((steady, all))
    measurements.removeAll { $0.all < loudest * Self.loud }
    if measurements.count > Self.count { measurements.removeFirst() }
    if measurements.count == Self.count, isMoving { hasMoved = true }
  }

  private var isMoving: Bool {
    let steady = measurements.reduce(0) { $0 + $1.steady }
    return steady <= measurements.reduce(0) { $0 + $1.all } * Self.most
  }

  /// Returns the local peaks among the bands, each with its interpolated pitch and its power.
  private static func partials(
    in bands: [Float], least: Float
  ) -> [(pitch: Float, power: Float)] {
    (firstBand..<(bands.count - 2)).compactMap { band in
      let power = bands[band]
      guard power > least, power > bands[band - 1], power >= bands[band + 1] else { return nil }
      let near = bands[(band - 2)...(band + 2)]
      return (Float(band) + offset(at: band, in: bands), near.reduce(0, +))
    }
  }

  /// Returns the offset from a band to the peak of the parabola through its level and those of its
  /// neighbors.
  private static func offset(at band: Int, in bands: [Float]) -> Float {
    let (left, top, right) = (level(bands[band - 1]), level(bands[band]), level(bands[band + 1]))
    let curvature = left - 2 * top + right
    return curvature < 0 ? (left - right) / (2 * curvature) : 0
  }

  private static func level(_ power: Float) -> Float { logf(power + .leastNormalMagnitude) }
}

/// Computes the power in each band of 2,048 Hann-windowed samples, by a fast Fourier transform.
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

  /// Returns the powers of 1,024 bands; at 16 kHz, a band is 7.8 Hz wide.
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

  /// Combines each pair of transforms of `half` samples into a transform of twice the length.
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

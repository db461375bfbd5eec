/// The level of a range of audio: its peak and its root mean square.
public struct AudioLevel: Hashable, Sendable {
  /// The level of the sample farthest from zero.
  public var peak: Decibels

  /// The level of the root mean square of all samples; a full-scale sine has −3 dBFS.
  public var rms: Decibels

  /// Creates a level.
  public init(peak: Decibels, rms: Decibels) {
    self.peak = peak
    self.rms = rms
  }

  /// The amplitude from which a sample counts as clipped: the highest that 16 bits can store.
  @inlinable package static var clippingAmplitude: Float { 32_767.0 / 32_768 }

  /// Digital silence.
  public static let silence = AudioLevel(peak: .silence, rms: .silence)
}

extension AudioBlock {
  /// The level over all channels of the buffer; silence if it is empty.
  public var level: AudioLevel {
    var meter = AudioMeter()
    meter.add(buffer.samples)
    return meter.level
  }
}

/// Computes the level of samples without keeping them.
public struct AudioMeter: Sendable {
  private var highest: Float = 0
  private var squares: Double = 0
  private var count = 0

  /// Creates a meter without samples.
  public init() {}

  /// The level of all samples since the last `reset`; silence if there are none.
  public var level: AudioLevel {
    guard count > 0 else { return .silence }
    return AudioLevel(
      peak: Decibels(amplitude: Double(highest)),
      rms: Decibels(amplitude: (squares / Double(count)).squareRoot()))
  }

  /// Adds samples; the meter does not distinguish channels.
  public mutating func add(_ samples: [Float]) {
    samples.withUnsafeBufferPointer { add($0) }
  }

  /// Adds samples in memory, without allocating or waiting.
  public mutating func add(_ samples: UnsafeBufferPointer<Float>) {
    for sample in samples {
      highest = max(highest, abs(sample))
      squares += Double(sample) * Double(sample)
    }
    count += samples.count
  }

  /// Removes all samples.
  public mutating func reset() {
    self = AudioMeter()
  }
}

/// A level or a gain in decibels.
///
/// A level is relative to full scale (dBFS): a sample of 1 has 0 dBFS, and silence is negative
/// infinity. A gain is relative to its input: 0 dB leaves samples unchanged.
public struct Decibels: Hashable, Comparable, Sendable {
  /// The number of decibels.
  public let value: Double

  /// Creates a level or a gain; `-Double.infinity` is silence.
  public init(_ value: Double) {
    self.value = value
  }

  /// Converts an amplitude, where 1 is full scale, to a level, or a factor to a gain.
  public init(amplitude: Double) {
    value = amplitude > 0 ? 20 * decimalLogarithm(amplitude) : -.infinity
  }

  /// Creates a level or a gain where the type is inferred, as in `.peak(.decibels(-14))`.
  public static func decibels(_ value: Double) -> Decibels { Decibels(value) }

  /// Digital silence, negative infinity.
  public static let silence = Decibels(-.infinity)

  /// The amplitude of a level, where 1 is full scale, or the factor of a gain.
  public var amplitude: Double { powerOfTen(value / 20) }

  /// Orders from low to high.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.value < rhs.value }
}

extension Decibels: CustomStringConvertible {
  /// A short description for users, such as `-12.3 dB`.
  public var description: String {
    guard value.isFinite else { return value < 0 ? "-inf dB" : "\(value) dB" }
    let tenths = (value * 10).rounded() / 10
    return "\(tenths == 0 ? 0 : tenths) dB"
  }
}

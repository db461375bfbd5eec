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

  /// Digital silence.
  public static let silence = AudioLevel(peak: .silence, rms: .silence)
}

extension AudioBuffer {
  /// The level over all channels of this buffer; silence if it is empty.
  public var level: AudioLevel {
    var meter = AudioMeter()
    meter.add(samples)
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

  /// Adds samples of any channels.
  public mutating func add(_ samples: [Float]) {
    samples.withUnsafeBufferPointer { add($0) }
  }

  /// Adds samples in memory; it neither allocates nor waits.
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

/// A level relative to full scale, in dBFS.
///
/// A sample of 1 has 0 dBFS, lower levels are negative, and silence is negative infinity.
public struct Decibels: Hashable, Comparable, Sendable {
  /// The level in dBFS.
  public let dBFS: Double

  /// Creates a level in dBFS; `-Double.infinity` is silence.
  public init(dBFS: Double) {
    self.dBFS = dBFS
  }

  /// Creates the level of an amplitude; 1 is full scale.
  public init(amplitude: Double) {
    self.dBFS = amplitude > 0 ? 20 * decimalLogarithm(amplitude) : -.infinity
  }

  /// Digital silence, negative infinity.
  public static let silence = Decibels(dBFS: -.infinity)

  /// The amplitude with this level, where 1 is full scale.
  public var amplitude: Double { powerOfTen(dBFS / 20) }

  /// Orders from low to high.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.dBFS < rhs.dBFS }
}

extension Decibels: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    guard dBFS.isFinite else { return dBFS < 0 ? "-inf dBFS" : "\(dBFS) dBFS" }
    let tenths = (dBFS * 10).rounded() / 10
    return "\(tenths == 0 ? 0 : tenths) dBFS"
  }
}

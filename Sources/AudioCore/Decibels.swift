/// A level relative to full scale, in dBFS: 0 for a sample of 1, negative below it, and negative
/// infinity for silence.
public struct Decibels: Hashable, Comparable, Sendable {
  /// The level in dBFS.
  public let dBFS: Double

  /// A level in dBFS; `-Double.infinity` is silence.
  public init(dBFS: Double) {
    self.dBFS = dBFS
  }

  /// The level of an amplitude, where 1 is full scale.
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
  /// A short text for people.
  public var description: String {
    guard dBFS.isFinite else { return dBFS < 0 ? "-inf dBFS" : "\(dBFS) dBFS" }
    let tenths = (dBFS * 10).rounded() / 10
    return "\(tenths == 0 ? 0 : tenths) dBFS"
  }
}

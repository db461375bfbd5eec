/// Frames per second.
public struct SampleRate: Hashable, Comparable, Sendable {
  /// The rate in hertz, above zero.
  public let hertz: Int

  /// A rate in hertz; it must be above zero.
  public init(hertz: Int) {
    precondition(hertz > 0, "a sample rate is above 0 Hz, not \(hertz) Hz")
    self.hertz = hertz
  }

  /// 16 kHz, what speech recognisers work at.
  public static let speech = SampleRate(hertz: 16_000)

  /// Orders from low to high.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.hertz < rhs.hertz }
}

extension SampleRate: ExpressibleByIntegerLiteral {
  /// The literal is in hertz.
  public init(integerLiteral value: Int) {
    self.init(hertz: value)
  }
}

extension SampleRate: CustomStringConvertible {
  /// A short text for people.
  public var description: String { "\(hertz) Hz" }
}

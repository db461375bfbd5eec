/// A number of frames, or the index of a frame on a time-line; one frame is one sample per channel.
public struct FrameCount: Hashable, Comparable, Sendable, AdditiveArithmetic {
  /// The number itself.
  public var rawValue: Int

  /// Wraps a number of frames.
  public init(_ rawValue: Int) {
    self.rawValue = rawValue
  }

  /// The frames that fit into `duration` at `rate`, rounded to the nearest; at most 2^62, more than
  /// any audio has, so that a limit may be for ever.
  public init(_ duration: Duration, at rate: SampleRate) {
    self.init(rounding: duration.inSeconds * Double(rate.hertz))
  }

  private init(rounding frames: Double) {
    self.rawValue = Int(max(-0x1p62, min(frames.rounded(), 0x1p62)))
  }

  /// No frames.
  public static let zero = FrameCount(0)

  /// How long these frames last at `rate`.
  public func duration(at rate: SampleRate) -> Duration {
    let (whole, rest) = rawValue.quotientAndRemainder(dividingBy: rate.hertz)
    // Of a rate from 9.2 GHz on the product does not fit into 64 bits.
    let (nanoseconds, _) = Int64(rate.hertz)
      .dividingFullWidth(Int64(rest).multipliedFullWidth(by: 1_000_000_000))
    // Generic code makes durations from any integer, which is too slow for the audio thread.
    return Duration(
      secondsComponent: Int64(whole), attosecondsComponent: nanoseconds * 1_000_000_000)
  }

  /// Converts a length at one rate to the length of the same time at another, rounded to nearest.
  public func converted(from source: SampleRate, to target: SampleRate) -> FrameCount {
    guard source != target else { return self }
    return FrameCount(rounding: Double(rawValue) * Double(target.hertz) / Double(source.hertz))
  }

  /// Adds two lengths.
  public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.rawValue + rhs.rawValue) }
  /// Subtracts a length.
  public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.rawValue - rhs.rawValue) }
  /// Orders from low to high.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension FrameCount: ExpressibleByIntegerLiteral {
  /// The literal is the number of frames.
  public init(integerLiteral value: Int) {
    self.init(value)
  }
}

extension FrameCount: CustomStringConvertible {
  /// A short text for people.
  public var description: String { "\(rawValue) frames" }
}

extension Duration {
  /// The duration as a number of seconds, for arithmetic with rates and for people to read.
  public var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// The duration in whole nanoseconds; one of more than a century counts as one of 136 years.
  package var inNanoseconds: Int64 {
    let longest = Duration.seconds(1 << 32)
    let (seconds, attoseconds) = Swift.max(.zero - longest, Swift.min(self, longest)).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  /// The time in seconds, to a thousandth: `1.500 s`; a shorter time is not rounded to 0.
  package var secondsText: String {
    let thousandths = Int((inSeconds * 1_000).rounded())
    if thousandths == 0, self > .zero { return "under 0.001 s" }
    let rest = String(1_000 + abs(thousandths) % 1_000).dropFirst()
    return "\(thousandths / 1_000).\(rest) s"
  }
}

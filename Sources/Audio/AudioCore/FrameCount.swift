/// A number of frames or a frame index on a timeline; a frame has one sample per channel.
public struct FrameCount: Hashable, Comparable, Sendable, AdditiveArithmetic {
  /// The number of frames, or the index of a frame.
  public var rawValue: Int

  /// Creates a number of frames.
  public init(_ rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Creates the number of frames in `duration` at `rate`, rounded to the nearest.
  ///
  /// The number is at most 2^60, more than any audio has, so a time limit may be arbitrarily long.
  public init(_ duration: Duration, at rate: SampleRate) {
    self.init(rounding: duration.inSeconds * Double(rate.hertz))
  }

  private init(rounding frames: Double) {
    self.rawValue = Int(clamping: frames)
  }

  /// No frames.
  public static let zero = FrameCount(0)

  /// Returns the duration of these frames at `rate`.
  public func duration(at rate: SampleRate) -> Duration {
    let (whole, rest) = rawValue.quotientAndRemainder(dividingBy: rate.hertz)
    // From 9.2 GHz on, the product exceeds 64 bits, so it is computed at full width.
    let (nanoseconds, _) = Int64(rate.hertz)
      .dividingFullWidth(Int64(rest).multipliedFullWidth(by: 1_000_000_000))
    // The generic initializers of `Duration` are too slow for the audio thread.
    return Duration(
      secondsComponent: Int64(whole), attosecondsComponent: nanoseconds * 1_000_000_000)
  }

  /// Converts the number of frames between rates, for the same duration, rounded to the nearest.
  public func converted(from source: SampleRate, to target: SampleRate) -> FrameCount {
    guard source != target else { return self }
    return FrameCount(rounding: Double(rawValue) * Double(target.hertz) / Double(source.hertz))
  }

  /// Adds two lengths.
  public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.rawValue + rhs.rawValue) }
  /// Subtracts a length.
  public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.rawValue - rhs.rawValue) }
  /// Multiplies a length.
  public static func * (lhs: Self, rhs: Int) -> Self { Self(lhs.rawValue * rhs) }
  /// Multiplies a length.
  ///
  /// This operator is disfavored, so a product of two literals, such as `2 * 3`, is not ambiguous.
  @_disfavoredOverload
  public static func * (lhs: Int, rhs: Self) -> Self { rhs * lhs }
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
  /// A short description for users.
  public var description: String { "\(rawValue) frames" }
}

extension Duration {
  /// The duration in seconds, for arithmetic with rates and for display.
  public var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// The duration in whole nanoseconds, limited to ±136 years.
  package var inNanoseconds: Int64 {
    let longest = Duration.seconds(1 << 32)
    let (seconds, attoseconds) = Swift.max(.zero - longest, Swift.min(self, longest)).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  /// The duration in seconds with three decimals, as in `1.500 s`, or `under 0.001 s`.
  package var secondsText: String {
    let thousandths = wholeMilliseconds
    if thousandths == 0, self > .zero { return "under 0.001 s" }
    let rest = String(1_000 + abs(thousandths) % 1_000).dropFirst()
    return "\(thousandths / 1_000).\(rest) s"
  }
}

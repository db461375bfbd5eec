#if !PointFreeDependencies
public import Foundation

extension RunLoop.SchedulerTimeType {
  /// A distance of a run loop's times, in seconds.
  public struct Stride: SchedulerTimeIntervalConvertible, ExpressibleByFloatLiteral, Hashable,
    Sendable
  {
    /// The distance in seconds, with its sign.
    public var magnitude: TimeInterval

    /// So many seconds.
    public init(_ timeInterval: TimeInterval) {
      magnitude = timeInterval
    }

    /// So many seconds: `1.5`.
    public init(floatLiteral value: TimeInterval) {
      magnitude = value
    }

    /// So many seconds: `2`.
    public init(integerLiteral value: TimeInterval) {
      magnitude = value
    }

    /// So many seconds, if they can be told from their neighbours.
    public init?<T: BinaryInteger>(exactly source: T) {
      guard let magnitude = TimeInterval(exactly: source) else { return nil }
      self.magnitude = magnitude
    }

    /// The distance in seconds, as Foundation has it.
    public var timeInterval: TimeInterval { magnitude }
  }
}

extension RunLoop.SchedulerTimeType.Stride {
  /// So many seconds.
  public static func seconds(_ s: Int) -> Self { Self(TimeInterval(s)) }
  /// So many seconds.
  public static func seconds(_ s: Double) -> Self { Self(s) }
  /// So many thousandths of a second.
  public static func milliseconds(_ ms: Int) -> Self { Self(TimeInterval(ms) / 1e3) }
  /// So many millionths of a second.
  public static func microseconds(_ us: Int) -> Self { Self(TimeInterval(us) / 1e6) }
  /// So many billionths of a second.
  public static func nanoseconds(_ ns: Int) -> Self { Self(TimeInterval(ns) / 1e9) }

  /// The sum.
  public static func + (left: Self, right: Self) -> Self { Self(left.magnitude + right.magnitude) }
  /// The difference.
  public static func - (left: Self, right: Self) -> Self { Self(left.magnitude - right.magnitude) }
  /// The product of both in seconds.
  public static func * (left: Self, right: Self) -> Self { Self(left.magnitude * right.magnitude) }
  /// Adds a distance.
  public static func += (left: inout Self, right: Self) { left = left + right }
  /// Takes a distance away.
  public static func -= (left: inout Self, right: Self) { left = left - right }
  /// Multiplies by a distance, both in seconds.
  public static func *= (left: inout Self, right: Self) { left = left * right }
  /// Whether a distance is smaller.
  public static func < (left: Self, right: Self) -> Bool { left.magnitude < right.magnitude }
}
#endif

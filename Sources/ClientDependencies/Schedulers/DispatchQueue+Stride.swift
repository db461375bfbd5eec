#if !PointFreeDependencies
public import Dispatch

extension DispatchQueue.SchedulerTimeType.Stride {
  /// So many seconds.
  public static func seconds(_ s: Int) -> Self { Self(s, times: 1_000_000_000) }

  /// So many seconds, to the nanosecond.
  public static func seconds(_ s: Double) -> Self {
    let nanoseconds = Int(exactly: (s * 1e9).rounded())
    return .nanoseconds(nanoseconds ?? (s.isNaN ? 0 : s < 0 ? .min : .max))
  }

  /// So many thousandths of a second.
  public static func milliseconds(_ ms: Int) -> Self { Self(ms, times: 1_000_000) }

  /// So many millionths of a second.
  public static func microseconds(_ us: Int) -> Self { Self(us, times: 1_000) }

  /// So many billionths of a second.
  public static func nanoseconds(_ ns: Int) -> Self { Self(ns, times: 1) }

  /// A distance that is too long to be counted in nanoseconds is the longest one.
  private init(_ count: Int, times unit: Int) {
    let (product, overflow) = count.multipliedReportingOverflow(by: unit)
    magnitude = overflow ? (count < 0 ? .min : .max) : product
  }

  /// The sum.
  public static func + (left: Self, right: Self) -> Self {
    .nanoseconds(left.magnitude + right.magnitude)
  }

  /// The difference.
  public static func - (left: Self, right: Self) -> Self {
    .nanoseconds(left.magnitude - right.magnitude)
  }

  /// The product of both in seconds.
  public static func * (left: Self, right: Self) -> Self {
    .seconds(Double(left.magnitude) / 1e9 * (Double(right.magnitude) / 1e9))
  }

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

#if !PointFreeDependencies
public import Dispatch

extension DispatchQueue {
  /// A time of a queue.
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// The time as the dispatch library has it.
    public var dispatchTime: DispatchTime

    /// Wraps a time of the dispatch library.
    public init(_ time: DispatchTime) {
      dispatchTime = time
    }

    /// The distance to another time, negative where that is earlier.
    public func distance(to other: SchedulerTimeType) -> Stride {
      let (start, end) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
      return .nanoseconds(Int(truncatingIfNeeded: end &- start))
    }

    /// The time that is later by a distance, at the earliest the machine's start.
    public func advanced(by n: Stride) -> SchedulerTimeType {
      let start = Int(clamping: dispatchTime.uptimeNanoseconds)
      let (sum, overflow) = start.addingReportingOverflow(n.magnitude)
      // The dispatch library takes 0 for the time of the call.
      return SchedulerTimeType(
        DispatchTime(uptimeNanoseconds: UInt64(overflow ? .max : max(sum, 1))))
    }

    /// Hashes the time.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(dispatchTime.uptimeNanoseconds)
    }
  }
}

extension DispatchQueue.SchedulerTimeType {
  /// A distance of a queue's times, in whole nanoseconds.
  public struct Stride: SchedulerTimeIntervalConvertible, ExpressibleByFloatLiteral, Hashable,
    Sendable
  {
    /// The distance in nanoseconds, with its sign.
    public var magnitude: Int

    /// So many seconds: `1.5`.
    public init(floatLiteral value: Double) {
      self = .seconds(value)
    }

    /// So many seconds: `2`.
    public init(integerLiteral value: Int) {
      self = .seconds(value)
    }

    /// So many nanoseconds, if they fit.
    public init?<T: BinaryInteger>(exactly source: T) {
      guard let magnitude = Int(exactly: source) else { return nil }
      self.magnitude = magnitude
    }

    /// The distance as the dispatch library has it.
    public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }
  }
}
#endif

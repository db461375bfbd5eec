#if !PointFreeDependencies
public import Dispatch

extension DispatchQueue: Scheduler {
  /// The time since the machine's start.
  public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

  /// Always zero.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs work on the queue as soon as possible.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    let work = item(options, action)
    if let group = options?.group {
      async(group: group, execute: work)
    } else {
      async(execute: work)
    }
  }

  /// Runs work on the queue once, at a time; the tolerance is not used.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    asyncAfter(deadline: date.dispatchTime, execute: item(options, action))
  }

  /// Runs work on the queue at a time, then once per interval, until the result is canceled.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard canRepeat(every: interval) else { return AnyCancellable {} }
    let timer = DispatchSource.makeTimerSource(queue: self)
    let leeway = max(tolerance, .zero).timeInterval
    timer.schedule(
      deadline: date.dispatchTime, repeating: interval.timeInterval, leeway: leeway)
    timer.setEventHandler(handler: item(options, action))
    timer.resume()
    return AnyCancellable { timer.cancel() }
  }

  private func item(
    _ options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> DispatchWorkItem {
    // Right if the caller is right: the interface is Combine's, whose work is not `Sendable`.
    nonisolated(unsafe) let action = action
    return DispatchWorkItem(qos: options?.qos ?? .unspecified, flags: options?.flags ?? []) {
      action()
    }
  }
}

extension DispatchQueue {
  /// Options for work on a queue.
  public struct SchedulerOptions: @unchecked Sendable {  // Right, because flags are a number.
    /// The quality of service.
    public var qos: DispatchQoS
    /// Flags such as `.barrier`.
    public var flags: DispatchWorkItemFlags
    /// The group of the work, for immediate scheduling.
    public var group: DispatchGroup?

    /// Creates options for work on a queue.
    public init(
      qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
      group: DispatchGroup? = nil
    ) {
      self.qos = qos
      self.flags = flags
      self.group = group
    }
  }
}

extension DispatchQueue {
  /// A time of a queue.
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// The time as a `DispatchTime`.
    public var dispatchTime: DispatchTime

    /// Wraps a `DispatchTime`.
    public init(_ time: DispatchTime) {
      dispatchTime = time
    }

    /// The distance to another time, negative if it is earlier.
    public func distance(to other: SchedulerTimeType) -> Stride {
      let (start, end) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
      return .nanoseconds(Int(truncatingIfNeeded: end &- start))
    }

    /// The time plus a distance, at the earliest the machine's start.
    public func advanced(by n: Stride) -> SchedulerTimeType {
      let start = Int(clamping: dispatchTime.uptimeNanoseconds)
      let (sum, overflow) = start.addingReportingOverflow(n.magnitude)
      // Dispatch interprets 0 as the time of the call.
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

    /// A number of seconds: `1.5`.
    public init(floatLiteral value: Double) {
      self = .seconds(value)
    }

    /// A number of seconds: `2`.
    public init(integerLiteral value: Int) {
      self = .seconds(value)
    }

    /// A number of nanoseconds; nil if it does not fit.
    public init?<T: BinaryInteger>(exactly source: T) {
      guard let magnitude = Int(exactly: source) else { return nil }
      self.magnitude = magnitude
    }

    /// The distance as a `DispatchTimeInterval`.
    public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }
  }
}

extension DispatchQueue.SchedulerTimeType.Stride {
  /// A number of seconds.
  public static func seconds(_ s: Int) -> Self { Self(s, times: 1_000_000_000) }

  /// A number of seconds, rounded to nanoseconds.
  public static func seconds(_ s: Double) -> Self {
    let nanoseconds = Int(exactly: (s * 1e9).rounded())
    return .nanoseconds(nanoseconds ?? (s.isNaN ? 0 : s < 0 ? .min : .max))
  }

  /// A number of milliseconds.
  public static func milliseconds(_ ms: Int) -> Self { Self(ms, times: 1_000_000) }

  /// A number of microseconds.
  public static func microseconds(_ us: Int) -> Self { Self(us, times: 1_000) }

  /// A number of nanoseconds.
  public static func nanoseconds(_ ns: Int) -> Self { Self(ns, times: 1) }

  /// Clamps a distance that does not fit in nanoseconds.
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

  /// Multiplies by a distance, both in seconds.
  public static func *= (left: inout Self, right: Self) { left = left * right }
  /// Whether a distance is smaller.
  public static func < (left: Self, right: Self) -> Bool { left.magnitude < right.magnitude }
}

extension DispatchQueue {
  /// A scheduler that replaces a queue and runs all work at once.
  public static var immediate: ImmediateSchedulerOf<DispatchQueue> {
    ImmediateScheduler(now: .start)
  }

  /// A scheduler that replaces a queue and whose time a test controls.
  public static var test: TestSchedulerOf<DispatchQueue> {
    TestScheduler(now: .start)
  }

  /// A scheduler that replaces a queue, whose time a test controls, and whose work is late.
  public static func inaccurate(
    by minimumTolerance: SchedulerTimeType.Stride
  ) -> TestSchedulerOf<DispatchQueue> {
    TestScheduler(now: .start, minimumTolerance: minimumTolerance)
  }

  /// A scheduler that replaces a queue and reports an issue at every use.
  public static var unimplemented: UnimplementedSchedulerOf<DispatchQueue> {
    unimplemented("DispatchQueue")
  }

  /// A scheduler that replaces a queue and reports an issue with a name at every use.
  public static func unimplemented(_ prefix: String) -> UnimplementedSchedulerOf<DispatchQueue> {
    UnimplementedScheduler(prefix, now: .start)
  }
}

extension AnyScheduler
where
  SchedulerTimeType == DispatchQueue.SchedulerTimeType,
  SchedulerOptions == DispatchQueue.SchedulerOptions
{
  /// The main queue.
  public static var main: Self { DispatchQueue.main.eraseToAnyScheduler() }

  /// The system's queue of a quality of service.
  public static func global(qos: DispatchQoS.QoSClass = .default) -> Self {
    DispatchQueue.global(qos: qos).eraseToAnyScheduler()
  }

  /// A scheduler that replaces a queue and runs all work at once.
  public static var immediate: Self { DispatchQueue.immediate.eraseToAnyScheduler() }

  /// A scheduler that replaces a queue and reports an issue at every use.
  public static var unimplemented: Self { DispatchQueue.unimplemented.eraseToAnyScheduler() }

  /// A scheduler that replaces a queue and reports an issue with a name at every use.
  public static func unimplemented(_ prefix: String) -> Self {
    DispatchQueue.unimplemented(prefix).eraseToAnyScheduler()
  }
}

extension DispatchQueue.SchedulerTimeType {
  /// The first time for tests.
  ///
  /// Dispatch interprets 0 as the time of the call.
  fileprivate static let start = Self(DispatchTime(uptimeNanoseconds: 1))
}
#endif

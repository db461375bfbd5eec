#if !PointFreeDependencies
public import Dispatch

extension DispatchQueue: Scheduler {
  /// The time since the machine was started.
  public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

  /// Runs work on the queue as soon as possible.
  public func schedule(_ action: @escaping () -> Void) {
    async(execute: DispatchWorkItem(block: action))
  }

  /// Runs work on the queue once, at the given time.
  public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
    asyncAfter(deadline: date.dispatchTime, execute: DispatchWorkItem(block: action))
  }

  /// Runs work on the queue at the given time, then once per interval, until the result is
  /// canceled.
  public func schedule(
    after date: SchedulerTimeType, interval: Duration, _ action: @escaping () -> Void
  ) -> AnyCancellable {
    guard canRepeat(every: interval) else { return AnyCancellable {} }
    let timer = DispatchSource.makeTimerSource(queue: self)
    timer.schedule(deadline: date.dispatchTime, repeating: interval / .seconds(1))
    timer.setEventHandler(handler: DispatchWorkItem(block: action))
    timer.resume()
    return AnyCancellable { timer.cancel() }
  }
}

extension DispatchQueue {
  /// A time of a queue.
  public struct SchedulerTimeType: InstantProtocol {
    /// The time as a `DispatchTime`.
    public var dispatchTime: DispatchTime

    // This cannot be 0, because Dispatch interprets 0 as the current time.
    fileprivate static let start = Self(DispatchTime(uptimeNanoseconds: 1))

    /// Wraps a `DispatchTime`.
    public init(_ time: DispatchTime) {
      dispatchTime = time
    }

    /// Returns the duration until another time, which is negative if that time is earlier.
    public func duration(to other: Self) -> Duration {
      .nanoseconds(other.nanoseconds - nanoseconds)
    }

    /// Returns the time plus a duration, but no time before the machine was started.
    public func advanced(by duration: Duration) -> Self {
      Self(dispatchTime + duration / .seconds(1))
    }

    /// Whether a time is earlier than another.
    public static func < (left: Self, right: Self) -> Bool {
      left.dispatchTime < right.dispatchTime
    }

    /// Hashes the time.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(dispatchTime.uptimeNanoseconds)
    }

    private var nanoseconds: Int64 { Int64(clamping: dispatchTime.uptimeNanoseconds) }
  }

  /// A scheduler that replaces a queue and whose time a test controls.
  public static var test: TestScheduler<SchedulerTimeType> {
    TestScheduler(now: .start)
  }
}

extension AnyScheduler where SchedulerTimeType == DispatchQueue.SchedulerTimeType {
  /// A scheduler that replaces a queue and runs all work at once.
  public static var immediate: Self { Self(ImmediateScheduler(now: .start)) }
}
#endif

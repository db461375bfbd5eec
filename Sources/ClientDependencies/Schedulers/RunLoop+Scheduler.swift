#if !PointFreeDependencies
public import Foundation

extension RunLoop: Scheduler {
  /// The date.
  public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

  /// None: a run loop is asked for the date alone.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs work in the next turn of the loop.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    _ = add(at: now, interval: nil, tolerance: .zero, action)
  }

  /// Runs work in the loop once, at a date.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    _ = add(at: date, interval: nil, tolerance: tolerance, action)
  }

  /// Runs work in the loop at a date, then once in each interval, until the result is cancelled.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard canRepeat(every: interval) else { return AnyCancellable {} }
    let timer = add(at: date, interval: interval, tolerance: tolerance, action)
    return AnyCancellable { timer.invalidate() }
  }

  private func add(
    at date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride?,
    tolerance: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) -> Timer {
    // Right as far as the caller is: the interface is Combine's, whose work is not `Sendable`.
    nonisolated(unsafe) let action = action
    let timer = Timer(
      fire: date.date, interval: interval?.timeInterval ?? 0, repeats: interval != nil
    ) { _ in
      action()
    }
    timer.tolerance = max(tolerance, .zero).timeInterval
    add(timer, forMode: .common)
    return timer
  }
}

extension RunLoop {
  /// How a run loop runs one piece of work: there is nothing to choose.
  public struct SchedulerOptions: Sendable {
    /// Chooses nothing.
    public init() {}
  }

  /// A time of a run loop: a date.
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// The date.
    public var date: Date

    /// Wraps a date.
    public init(_ date: Date) {
      self.date = date
    }

    /// The distance to another time, negative where that is earlier.
    public func distance(to other: SchedulerTimeType) -> Stride {
      Stride(other.date.timeIntervalSince(date))
    }

    /// The time that is later by a distance.
    public func advanced(by n: Stride) -> SchedulerTimeType {
      SchedulerTimeType(date.addingTimeInterval(n.timeInterval))
    }
  }
}
#endif

#if !PointFreeDependencies
/// A scheduler on which nothing waits: work runs before `schedule` returns, whatever its time.
///
/// Repeated work runs once.
public struct ImmediateScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler
where SchedulerTimeType: Strideable, SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {
  /// None.
  public let minimumTolerance: SchedulerTimeType.Stride = .zero
  /// The time, which stands still.
  public let now: SchedulerTimeType

  /// Makes a scheduler whose time stands still.
  public init(now: SchedulerTimeType) {
    self.now = now
  }

  /// Runs the work.
  public func schedule(options: SchedulerOptions?, _ action: () -> Void) {
    action()
  }

  /// Runs the work.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: () -> Void
  ) {
    action()
  }

  /// Runs the work once.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: () -> Void
  ) -> any Cancellable {
    action()
    return AnyCancellable {}
  }
}

extension ImmediateScheduler: Sendable
where SchedulerTimeType: Sendable, SchedulerTimeType.Stride: Sendable {}

/// An immediate scheduler with the times and options of the named one.
public typealias ImmediateSchedulerOf<S: Scheduler> = ImmediateScheduler<
  S.SchedulerTimeType, S.SchedulerOptions
>
#endif

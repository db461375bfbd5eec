#if !PointFreeDependencies
/// A scheduler that reports an issue whenever it is used: for a test that expects no scheduling.
///
/// The work runs after the issue was reported. The issue belongs to the test that the scheduler was
/// made in, also where it is used on another thread.
public struct UnimplementedScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler
where SchedulerTimeType: Strideable, SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {
  /// What the scheduler is called in issues.
  public let prefix: String
  private let origin = IssueOrigin.current
  private let base: ImmediateScheduler<SchedulerTimeType, SchedulerOptions>

  /// Makes a scheduler whose time stands still.
  ///
  /// - Parameters:
  ///   - prefix: what it is called in issues.
  ///   - now: its time.
  public init(_ prefix: String = "", now: SchedulerTimeType) {
    self.prefix = prefix
    base = ImmediateScheduler(now: now)
  }

  /// Reports an issue; the time stands still.
  public var now: SchedulerTimeType {
    report("its time was read")
    return base.now
  }

  /// Reports an issue; none.
  public var minimumTolerance: SchedulerTimeType.Stride {
    report("its tolerance was read")
    return base.minimumTolerance
  }

  /// Reports an issue and runs the work.
  public func schedule(options: SchedulerOptions?, _ action: () -> Void) {
    report("work was scheduled on it")
    action()
  }

  /// Reports an issue and runs the work.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: () -> Void
  ) {
    report("work was scheduled on it for later")
    action()
  }

  /// Reports an issue and runs the work once.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: () -> Void
  ) -> any Cancellable {
    report("work was scheduled on it again and again")
    action()
    return AnyCancellable {}
  }

  private func report(_ use: String) {
    let name = prefix.isEmpty ? "\(Self.self)" : prefix
    origin.reportIssue(
      """
      \(Unimplemented(name)): \(use). Override the scheduler in the test, with '.immediate' or a \
      'TestScheduler'.
      """)
  }
}

extension UnimplementedScheduler: Sendable
where SchedulerTimeType: Sendable, SchedulerTimeType.Stride: Sendable {}

/// An unimplemented scheduler with the times and options of the named one.
public typealias UnimplementedSchedulerOf<S: Scheduler> = UnimplementedScheduler<
  S.SchedulerTimeType, S.SchedulerOptions
>
#endif

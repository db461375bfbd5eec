#if !PointFreeDependencies
/// A scheduler that runs work before `schedule` returns, whatever its time.
///
/// Repeated work runs once.
public struct ImmediateScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler
where SchedulerTimeType: Strideable, SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {
  /// None.
  public let minimumTolerance: SchedulerTimeType.Stride = .zero
  /// The constant time.
  public let now: SchedulerTimeType

  /// Creates a scheduler with a constant time.
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

/// A scheduler that reports an issue whenever it is used: for a test that expects no scheduling.
///
/// The work runs after the report. The issue belongs to the test that created the scheduler, even
/// if another thread uses it.
public struct UnimplementedScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler
where SchedulerTimeType: Strideable, SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {
  /// The scheduler's name in issues.
  public let prefix: String
  private let origin = IssueOrigin.current
  private let base: ImmediateScheduler<SchedulerTimeType, SchedulerOptions>

  /// Creates a scheduler with a constant time.
  ///
  /// - Parameters:
  ///   - prefix: its name in issues.
  ///   - now: its time.
  public init(_ prefix: String = "", now: SchedulerTimeType) {
    self.prefix = prefix
    base = ImmediateScheduler(now: now)
  }

  /// Reports an issue and returns the constant time.
  public var now: SchedulerTimeType {
    report("its time was read")
    return base.now
  }

  /// Reports an issue and returns zero.
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

#if !PointFreeDependencies
/// A type-erased scheduler with the given times and options.
///
/// Thread safety: that of the scheduler in it. Queues, run loops, and the schedulers for tests may
/// be used from any thread.
public struct AnyScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler, @unchecked Sendable
where SchedulerTimeType: Strideable, SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {
  // `@unchecked` is right for every scheduler of this module; those of others say it themselves.
  private typealias Time = SchedulerTimeType
  private typealias Options = SchedulerOptions

  private let readTolerance: () -> Time.Stride
  private let readNow: () -> Time
  private let runSoon: (Options?, @escaping () -> Void) -> Void
  private let runLater: (Time, Time.Stride, Options?, @escaping () -> Void) -> Void
  private let repeatLater:
    (Time, Time.Stride, Time.Stride, Options?, @escaping () -> Void) -> any Cancellable

  /// Makes a scheduler of closures.
  ///
  /// - Parameters:
  ///   - minimumTolerance: the smallest possible delay.
  ///   - now: the time.
  ///   - scheduleImmediately: runs work as soon as possible.
  ///   - delayed: runs work once at a time.
  ///   - interval: runs work at a time and then once per interval.
  public init(
    minimumTolerance: @escaping () -> SchedulerTimeType.Stride,
    now: @escaping () -> SchedulerTimeType,
    scheduleImmediately: @escaping (SchedulerOptions?, @escaping () -> Void) -> Void,
    delayed:
      @escaping (
        SchedulerTimeType, SchedulerTimeType.Stride, SchedulerOptions?, @escaping () -> Void
      ) -> Void,
    interval:
      @escaping (
        SchedulerTimeType, SchedulerTimeType.Stride, SchedulerTimeType.Stride, SchedulerOptions?,
        @escaping () -> Void
      ) -> any Cancellable
  ) {
    readTolerance = minimumTolerance
    readNow = now
    runSoon = scheduleImmediately
    runLater = delayed
    repeatLater = interval
  }

  /// Hides the type of a scheduler.
  public init<S: Scheduler>(_ scheduler: S)
  where S.SchedulerTimeType == SchedulerTimeType, S.SchedulerOptions == SchedulerOptions {
    self.init(
      minimumTolerance: { scheduler.minimumTolerance },
      now: { scheduler.now },
      scheduleImmediately: { scheduler.schedule(options: $0, $1) },
      delayed: { scheduler.schedule(after: $0, tolerance: $1, options: $2, $3) },
      interval: { scheduler.schedule(after: $0, interval: $1, tolerance: $2, options: $3, $4) })
  }

  /// The time of the scheduler.
  public var now: SchedulerTimeType { readNow() }

  /// The smallest possible delay.
  public var minimumTolerance: SchedulerTimeType.Stride { readTolerance() }

  /// Runs work as soon as possible.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    runSoon(options, action)
  }

  /// Runs work once, at a time or later within the tolerance.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    runLater(date, tolerance, options, action)
  }

  /// Runs work at a time and then once per interval, until the result is canceled.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    repeatLater(date, interval, tolerance, options, action)
  }
}

/// A scheduler with the times and options of the named one: `AnySchedulerOf<DispatchQueue>`.
public typealias AnySchedulerOf<S: Scheduler> = AnyScheduler<
  S.SchedulerTimeType, S.SchedulerOptions
>

/// A scheduler with the times of the named one: `any SchedulerOf<DispatchQueue>`.
public typealias SchedulerOf<S: Scheduler> = Scheduler<S.SchedulerTimeType>

extension Scheduler {
  /// Hides the scheduler's type.
  public func eraseToAnyScheduler() -> AnyScheduler<SchedulerTimeType, SchedulerOptions> {
    AnyScheduler(self)
  }
}
#endif

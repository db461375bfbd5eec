#if !PointFreeDependencies
/// A type-erased scheduler with the given times.
///
/// Thread safety: any thread may use it.
public struct AnyScheduler<SchedulerTimeType: InstantProtocol>: Scheduler, Sendable
where SchedulerTimeType.Duration == Duration {
  // Right for the schedulers of this module; those of others must allow it.
  private let base: UncheckedSendable<any Scheduler<SchedulerTimeType>>

  /// Hides the type of a scheduler.
  public init(_ scheduler: some Scheduler<SchedulerTimeType>) {
    base = UncheckedSendable(scheduler)
  }

  /// A scheduler that reports an issue with a name at every use, and runs all work at once.
  ///
  /// The issue belongs to the test that created the scheduler, even if another thread uses it.
  public static func unimplemented(_ prefix: String, now: SchedulerTimeType) -> Self {
    Self(ImmediateScheduler(now: now, unimplementedAs: prefix))
  }

  /// The time of the scheduler.
  public var now: SchedulerTimeType { base.value.now }

  /// Runs work as soon as possible.
  public func schedule(_ action: @escaping () -> Void) {
    base.value.schedule(action)
  }

  /// Runs work once, at a time.
  public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
    base.value.schedule(after: date, action)
  }

  /// Runs work at a time and then once per interval, until the result is canceled.
  public func schedule(
    after date: SchedulerTimeType, interval: Duration, _ action: @escaping () -> Void
  ) -> AnyCancellable {
    base.value.schedule(after: date, interval: interval, action)
  }
}

/// A scheduler with the times of the named one: `AnySchedulerOf<DispatchQueue>`.
public typealias AnySchedulerOf<S: Scheduler> = AnyScheduler<S.SchedulerTimeType>

extension Scheduler {
  /// Hides the scheduler's type.
  public func eraseToAnyScheduler() -> AnyScheduler<SchedulerTimeType> {
    AnyScheduler(self)
  }
}
#endif

#if !PointFreeDependencies
public import Dispatch

extension DispatchQueue {
  /// A scheduler in a queue's place on which nothing waits.
  public static var immediate: ImmediateSchedulerOf<DispatchQueue> {
    ImmediateScheduler(now: .start)
  }

  /// A scheduler in a queue's place whose time only a test moves.
  public static var test: TestSchedulerOf<DispatchQueue> {
    TestScheduler(now: .start)
  }

  /// A scheduler in a queue's place whose time only a test moves, and whose work is late.
  public static func inaccurate(
    by minimumTolerance: SchedulerTimeType.Stride
  ) -> TestSchedulerOf<DispatchQueue> {
    TestScheduler(now: .start, minimumTolerance: minimumTolerance)
  }

  /// A scheduler in a queue's place that reports an issue when it is used.
  public static var unimplemented: UnimplementedSchedulerOf<DispatchQueue> {
    unimplemented("DispatchQueue")
  }

  /// A scheduler in a queue's place that reports an issue when it is used, under a name.
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

  /// A scheduler in a queue's place on which nothing waits.
  public static var immediate: Self { DispatchQueue.immediate.eraseToAnyScheduler() }

  /// A scheduler in a queue's place that reports an issue when it is used.
  public static var unimplemented: Self { DispatchQueue.unimplemented.eraseToAnyScheduler() }

  /// A scheduler in a queue's place that reports an issue when it is used, under a name.
  public static func unimplemented(_ prefix: String) -> Self {
    DispatchQueue.unimplemented(prefix).eraseToAnyScheduler()
  }
}

extension DispatchQueue.SchedulerTimeType {
  /// Where the times for tests begin; the dispatch library takes 0 for the time of the call.
  fileprivate static let start = Self(DispatchTime(uptimeNanoseconds: 1))
}
#endif

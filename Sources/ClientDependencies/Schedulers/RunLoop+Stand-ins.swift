#if !PointFreeDependencies
public import Foundation

extension RunLoop {
  /// A scheduler in a run loop's place on which nothing waits.
  public static var immediate: ImmediateSchedulerOf<RunLoop> {
    ImmediateScheduler(now: .start)
  }

  /// A scheduler in a run loop's place whose time only a test moves.
  public static var test: TestSchedulerOf<RunLoop> {
    TestScheduler(now: .start)
  }

  /// A scheduler in a run loop's place whose time only a test moves, and whose work is late.
  public static func inaccurate(
    by minimumTolerance: SchedulerTimeType.Stride
  ) -> TestSchedulerOf<RunLoop> {
    TestScheduler(now: .start, minimumTolerance: minimumTolerance)
  }

  /// A scheduler in a run loop's place that reports an issue when it is used.
  public static var unimplemented: UnimplementedSchedulerOf<RunLoop> {
    unimplemented("RunLoop")
  }

  /// A scheduler in a run loop's place that reports an issue when it is used, under a name.
  public static func unimplemented(_ prefix: String) -> UnimplementedSchedulerOf<RunLoop> {
    UnimplementedScheduler(prefix, now: .start)
  }
}

extension AnyScheduler
where
  SchedulerTimeType == RunLoop.SchedulerTimeType,
  SchedulerOptions == RunLoop.SchedulerOptions
{
  /// The main run loop.
  public static var main: Self { RunLoop.main.eraseToAnyScheduler() }

  /// A scheduler in a run loop's place on which nothing waits.
  public static var immediate: Self { RunLoop.immediate.eraseToAnyScheduler() }

  /// A scheduler in a run loop's place that reports an issue when it is used.
  public static var unimplemented: Self { RunLoop.unimplemented.eraseToAnyScheduler() }

  /// A scheduler in a run loop's place that reports an issue when it is used, under a name.
  public static func unimplemented(_ prefix: String) -> Self {
    RunLoop.unimplemented(prefix).eraseToAnyScheduler()
  }
}

extension RunLoop.SchedulerTimeType {
  /// Where the times for tests begin.
  fileprivate static let start = Self(Date(timeIntervalSince1970: 0))
}
#endif

#if !PointFreeDependencies
/// A scheduler that runs work before `schedule` returns, whatever its time.
///
/// Repeated work runs once.
public struct ImmediateScheduler<SchedulerTimeType: InstantProtocol>: Scheduler, Sendable
where SchedulerTimeType.Duration == Duration {
  private let time: SchedulerTimeType
  /// The name in issues of a scheduler whose use a test does not expect.
  private let prefix: String?
  private let origin = IssueOrigin.current

  /// Creates a scheduler with a constant time.
  public init(now: SchedulerTimeType) {
    self.init(now: now, unimplementedAs: nil)
  }

  init(now: SchedulerTimeType, unimplementedAs prefix: String?) {
    time = now
    self.prefix = prefix
  }

  /// The constant time.
  public var now: SchedulerTimeType {
    reportUse("its time was read")
    return time
  }

  /// Runs the work.
  public func schedule(_ action: () -> Void) {
    reportUse("work was scheduled on it")
    action()
  }

  /// Runs the work.
  public func schedule(after date: SchedulerTimeType, _ action: () -> Void) {
    schedule(action)
  }

  /// Runs the work once.
  public func schedule(
    after date: SchedulerTimeType, interval: Duration, _ action: () -> Void
  ) -> AnyCancellable {
    schedule(action)
    return AnyCancellable {}
  }

  private func reportUse(_ use: String) {
    guard let prefix else { return }
    origin.reportIssue(
      """
      \(Unimplemented(prefix)): \(use). Override the scheduler in the test, with '.immediate' or a \
      'TestScheduler'.
      """)
  }
}
#endif

#if !PointFreeDependencies
#if Foundation
public import Foundation

extension RunLoop: Scheduler {
  /// The current date.
  public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

  /// Runs work in the loop once, at a date.
  public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
    _ = addTimer(at: date, interval: nil, action)
  }

  /// Runs work in the loop at a date, then once per interval, until the result is canceled.
  public func schedule(
    after date: SchedulerTimeType, interval: Duration, _ action: @escaping () -> Void
  ) -> AnyCancellable {
    guard canRepeat(every: interval) else { return AnyCancellable {} }
    let timer = addTimer(at: date, interval: interval, action)
    return AnyCancellable { timer.invalidate() }
  }

  private func addTimer(
    at date: SchedulerTimeType, interval: Duration?, _ action: @escaping () -> Void
  ) -> Timer {
    let action = UncheckedSendable(action)
    let timer = Timer(
      fire: date.date, interval: interval.map { $0 / .seconds(1) } ?? 0, repeats: interval != nil
    ) { _ in action.value() }
    add(timer, forMode: .common)
    return timer
  }
}

extension RunLoop {
  /// A time of a run loop: a date.
  public struct SchedulerTimeType: InstantProtocol {
    /// The date.
    public var date: Date

    fileprivate static let start = Self(Date(timeIntervalSince1970: 0))

    /// Wraps a date.
    public init(_ date: Date) {
      self.date = date
    }

    /// Returns the duration until another time, which is negative if that time is earlier.
    public func duration(to other: Self) -> Duration {
      .seconds(other.date.timeIntervalSince(date))
    }

    /// Returns the time plus a duration.
    public func advanced(by duration: Duration) -> Self {
      Self(date.addingTimeInterval(duration / .seconds(1)))
    }

    /// Whether a time is earlier than another.
    public static func < (left: Self, right: Self) -> Bool { left.date < right.date }
  }

  /// A scheduler that replaces a run loop and whose time a test controls.
  public static var test: TestScheduler<SchedulerTimeType> {
    TestScheduler(now: .start)
  }
}

extension AnyScheduler where SchedulerTimeType == RunLoop.SchedulerTimeType {
  /// A scheduler that replaces a run loop and runs all work at once.
  public static var immediate: Self { Self(ImmediateScheduler(now: .start)) }
}

extension DependencyValues {
  /// The main run loop, as a scheduler.
  ///
  /// A test that uses it without an override gets an issue. Override it with `.immediate`, or with
  /// a `RunLoop.test` whose time the test controls.
  public var mainRunLoop: AnySchedulerOf<RunLoop> {
    get { self[MainRunLoopKey.self] }
    set { self[MainRunLoopKey.self] = newValue }
  }
}

enum MainRunLoopKey: DependencyKey {
  static let liveValue = RunLoop.main.eraseToAnyScheduler()
  static var testValue: AnySchedulerOf<RunLoop> {
    .unimplemented("@Dependency(\\.mainRunLoop)", now: .start)
  }
}
#endif
#endif

#if !PointFreeDependencies
/// Runs work now, later, or repeatedly: a queue, a run loop, or a test scheduler.
///
/// The methods are those of Combine's scheduler, without options and tolerances. Distances between
/// times have the type `Duration`.
public protocol Scheduler<SchedulerTimeType> {
  /// A time of the scheduler.
  associatedtype SchedulerTimeType: InstantProtocol where SchedulerTimeType.Duration == Duration

  /// The time of the scheduler.
  var now: SchedulerTimeType { get }

  /// Runs work as soon as possible.
  func schedule(_ action: @escaping () -> Void)

  /// Runs work once, at the given time.
  func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void)

  /// Runs work at the given time and then once per interval, until the result is canceled.
  ///
  /// If the interval is not positive, an issue is reported and nothing is scheduled, except by
  /// schedulers that run repeated work only once.
  func schedule(
    after date: SchedulerTimeType, interval: Duration, _ action: @escaping () -> Void
  ) -> AnyCancellable
}

extension Scheduler {
  /// Runs work as soon as possible.
  public func schedule(_ action: @escaping () -> Void) { schedule(after: now, action) }

  /// Returns whether the interval is positive; otherwise reports an issue, because the work would
  /// repeat forever without the time advancing.
  func canRepeat(every interval: Duration) -> Bool {
    if interval > .zero { return true }
    reportIssue(
      """
      Work was to be repeated on '\(Self.self)' in an interval of \(interval), and was not scheduled: \
      an interval must be longer than zero.
      """)
    return false
  }

  /// Sleeps for a duration on the scheduler, or returns at once if the duration is negative.
  ///
  /// A sleep for zero ends when the scheduler next runs its work, as in a test clock.
  ///
  /// - Throws: `CancellationError` as soon as the task is canceled.
  public func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    guard duration >= .zero else { return }
    let wake = AsyncStream<Never> { continuation in
      schedule(after: now.advanced(by: duration)) { continuation.finish() }
    }
    for await _ in wake {}
    try Task.checkCancellation()
  }

  /// Returns a stream that yields the scheduler's time once per interval, first after one interval.
  ///
  /// The stream ends when its reader is canceled or releases the stream. A slow reader receives
  /// every tick. If the interval is not positive, an issue is reported and the stream is empty.
  public func timer(interval: Duration) -> AsyncStream<SchedulerTimeType> {
    AsyncStream { continuation in
      guard canRepeat(every: interval) else { return continuation.finish() }
      let ticking = schedule(after: now.advanced(by: interval), interval: interval) {
        continuation.yield(now)
      }
      continuation.onTermination = { _ in ticking.cancel() }
    }
  }
}

/// Runs a closure when it is canceled or released, whichever comes first.
///
/// Thread safety: any thread may cancel it, and the closure runs once.
public final class AnyCancellable: Sendable {
  // Combine's interface accepts closures that are not `Sendable`, so their safety is the caller's
  // responsibility.
  private let action: Lock<UncheckedSendable<() -> Void>?>

  /// Creates an object that runs a closure when it is canceled or released.
  public init(_ cancel: @escaping () -> Void) {
    action = Lock(UncheckedSendable(cancel))
  }

  deinit { cancel() }

  /// Runs the closure unless it has already run.
  public func cancel() {
    let action = action.withLock { action in
      defer { action = nil }
      return action
    }
    action?.value()
  }
}

/// A type-erased scheduler whose times have the type `SchedulerTimeType`.
///
/// Thread safety: any thread may use it.
public struct AnyScheduler<SchedulerTimeType: InstantProtocol>: Scheduler, Sendable
where SchedulerTimeType.Duration == Duration {
  // Safe for the schedulers of this module; other schedulers must be usable from any thread.
  private let base: UncheckedSendable<any Scheduler<SchedulerTimeType>>

  /// Wraps a scheduler, and hides its type.
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

  /// Runs work once, at the given time.
  public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
    base.value.schedule(after: date, action)
  }

  /// Runs work at the given time and then once per interval, until the result is canceled.
  public func schedule(
    after date: SchedulerTimeType, interval: Duration, _ action: @escaping () -> Void
  ) -> AnyCancellable {
    base.value.schedule(after: date, interval: interval, action)
  }
}

/// A type-erased scheduler with the time type of `S`, as in `AnySchedulerOf<DispatchQueue>`.
public typealias AnySchedulerOf<S: Scheduler> = AnyScheduler<S.SchedulerTimeType>

extension Scheduler {
  /// Returns the scheduler as an `AnyScheduler`, which hides its type.
  public func eraseToAnyScheduler() -> AnyScheduler<SchedulerTimeType> {
    AnyScheduler(self)
  }
}

/// A scheduler that runs work before `schedule` returns, regardless of the requested time.
///
/// Repeated work runs once.
public struct ImmediateScheduler<SchedulerTimeType: InstantProtocol>: Scheduler, Sendable
where SchedulerTimeType.Duration == Duration {
  private let time: SchedulerTimeType
  /// The scheduler's name in issues if it reports every use; otherwise nil.
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

  /// Runs the work immediately; `date` is ignored.
  public func schedule(after date: SchedulerTimeType, _ action: () -> Void) {
    schedule(action)
  }

  /// Runs the work once, immediately.
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

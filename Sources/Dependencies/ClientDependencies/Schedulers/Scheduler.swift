#if !PointFreeDependencies
/// Runs work now, later, or repeatedly: a queue, a run loop, or a test scheduler.
///
/// It has the interface of Combine's scheduler, so that code which was written for that one
/// compiles.
public protocol Scheduler<SchedulerTimeType> {
  /// A time of the scheduler.
  associatedtype SchedulerTimeType: Strideable
  where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible

  /// Options for scheduled work.
  associatedtype SchedulerOptions

  /// The time of the scheduler.
  var now: SchedulerTimeType { get }

  /// The smallest possible delay.
  var minimumTolerance: SchedulerTimeType.Stride { get }

  /// Runs work as soon as possible.
  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)

  /// Runs work once, at a time or later within the tolerance.
  func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  )

  /// Runs work at a time and then once per interval, until the result is canceled.
  ///
  /// An interval that is not longer than zero is a reported issue, and nothing is scheduled, except
  /// where repeated work runs once anyway.
  func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable
}

/// A distance between times that can be created from seconds and their fractions.
public protocol SchedulerTimeIntervalConvertible: Comparable, SignedNumeric {
  /// A number of seconds.
  static func seconds(_ s: Int) -> Self
  /// A number of seconds.
  static func seconds(_ s: Double) -> Self
  /// A number of milliseconds.
  static func milliseconds(_ ms: Int) -> Self
  /// A number of microseconds.
  static func microseconds(_ us: Int) -> Self
  /// A number of nanoseconds.
  static func nanoseconds(_ ns: Int) -> Self
}

extension Scheduler {
  /// Runs work as soon as possible.
  public func schedule(_ action: @escaping () -> Void) {
    schedule(options: nil, action)
  }

  /// Runs work once, at a time.
  public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
    schedule(after: date, tolerance: minimumTolerance, options: nil, action)
  }

  /// Runs work once, at a time or later within the tolerance.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) {
    schedule(after: date, tolerance: tolerance, options: nil, action)
  }

  /// Runs work at a time and then once per interval, until the result is canceled.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(
      after: date, interval: interval, tolerance: minimumTolerance, options: nil, action)
  }

  /// Runs work at a time and then once per interval, until the result is canceled.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(after: date, interval: interval, tolerance: tolerance, options: nil, action)
  }
}

extension Scheduler {
  /// Whether work can be repeated in an interval; if not, because the next turn would never be
  /// later than the last one, it is reported.
  func canRepeat(every interval: SchedulerTimeType.Stride) -> Bool {
    if interval > .zero { return true }
    reportIssue(
      """
      Work was to be repeated on '\(Self.self)' in an interval of \(interval), and was not scheduled: \
      an interval must be longer than zero.
      """)
    return false
  }
}

// The type of the times has to be known to the stream's end, which may come on any thread.
extension Scheduler where SchedulerTimeType: SendableMetatype {
  /// Sleeps for a time of the scheduler, which goes on meanwhile; not at all where it is not
  /// positive.
  ///
  /// - Throws: `CancellationError` as soon as the task is canceled.
  public func sleep(
    for duration: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride = .zero,
    options: SchedulerOptions? = nil
  ) async throws {
    try await sleep(until: now.advanced(by: duration), tolerance: tolerance, options: options)
  }

  /// Sleeps until a time of the scheduler, which goes on meanwhile; not at all where it has come.
  ///
  /// - Throws: `CancellationError` as soon as the task is canceled.
  public func sleep(
    until deadline: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride = .zero,
    options: SchedulerOptions? = nil
  ) async throws {
    try Task.checkCancellation()
    guard deadline > now else { return }
    let wake = AsyncStream<Never> { continuation in
      schedule(after: deadline, tolerance: tolerance, options: options) { continuation.finish() }
    }
    for await _ in wake {}
    try Task.checkCancellation()
  }

  /// The scheduler's time once per interval, first after one interval.
  ///
  /// The stream ends when its reader is canceled or releases it. A reader that is slower than
  /// the ticks finds all of them. An interval that is not longer than zero is a reported issue, and
  /// the stream is empty.
  public func timer(
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride = .zero,
    options: SchedulerOptions? = nil
  ) -> AsyncStream<SchedulerTimeType> {
    AsyncStream { continuation in
      guard canRepeat(every: interval) else { return continuation.finish() }
      let ticking = schedule(
        after: now.advanced(by: interval), interval: interval, tolerance: tolerance,
        options: options
      ) {
        // Right, because a scheduler's times are values.
        nonisolated(unsafe) let now = now
        continuation.yield(now)
      }
      let cancellable = AnyCancellable { ticking.cancel() }
      continuation.onTermination = { _ in cancellable.cancel() }
    }
  }

  /// Measures the duration of work by the scheduler's time.
  ///
  /// - Throws: what the work throws.
  public func measure(_ work: () throws -> Void) rethrows -> SchedulerTimeType.Stride {
    let start = now
    try work()
    return start.distance(to: now)
  }
}

/// An activity that continues until it is canceled.
public protocol Cancellable {
  /// Ends the activity. Further calls do nothing.
  func cancel()
}

/// Runs a closure when it is canceled or released, whichever comes first.
///
/// Thread safety: any thread may cancel it, and the closure runs once.
public final class AnyCancellable: Cancellable, Hashable, Sendable {
  // Right if the caller is right: the interface is Combine's, whose closures are not `Sendable`.
  private let action: Lock<UncheckedSendable<() -> Void>?>

  /// Runs the closure at the end.
  public init(_ cancel: @escaping () -> Void) {
    action = Lock(UncheckedSendable(cancel))
  }

  /// Cancels another activity at the end.
  public convenience init(_ canceller: some Cancellable) {
    self.init { canceller.cancel() }
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

  /// Stores it in a set, which cancels it on removal.
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(self)
  }

  /// Whether both are the same object.
  public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool {
    left === right
  }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
#endif

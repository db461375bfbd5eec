#if !PointFreeDependencies
/// What runs work now, later or again and again: a queue, a run loop, or one that a test controls.
///
/// It has the interface of Combine's scheduler, so that code which was written for that one
/// compiles.
public protocol Scheduler<SchedulerTimeType> {
  /// A time of the scheduler.
  associatedtype SchedulerTimeType: Strideable
  where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible

  /// What can be chosen for one piece of work.
  associatedtype SchedulerOptions

  /// The time of the scheduler.
  var now: SchedulerTimeType { get }

  /// The smallest lateness that the scheduler can promise.
  var minimumTolerance: SchedulerTimeType.Stride { get }

  /// Runs work as soon as possible.
  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)

  /// Runs work once, at a time or later by the tolerance at most.
  func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  )

  /// Runs work first at a time, then once in each interval, until the result is cancelled.
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

/// A distance of a scheduler's times that can be made from seconds and their parts.
public protocol SchedulerTimeIntervalConvertible: Comparable, SignedNumeric {
  /// So many seconds.
  static func seconds(_ s: Int) -> Self
  /// So many seconds.
  static func seconds(_ s: Double) -> Self
  /// So many thousandths of a second.
  static func milliseconds(_ ms: Int) -> Self
  /// So many millionths of a second.
  static func microseconds(_ us: Int) -> Self
  /// So many billionths of a second.
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

  /// Runs work once, at a time or later by the tolerance at most.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) {
    schedule(after: date, tolerance: tolerance, options: nil, action)
  }

  /// Runs work first at a time, then once in each interval, until the result is cancelled.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(
      after: date, interval: interval, tolerance: minimumTolerance, options: nil, action)
  }

  /// Runs work first at a time, then once in each interval, until the result is cancelled.
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
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(
    for duration: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride = .zero,
    options: SchedulerOptions? = nil
  ) async throws {
    try await sleep(until: now.advanced(by: duration), tolerance: tolerance, options: options)
  }

  /// Sleeps until a time of the scheduler, which goes on meanwhile; not at all where it has come.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
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

  /// The scheduler's time once in each interval, first when one interval is over.
  ///
  /// The stream ends when its reader is cancelled or releases it. A reader that is slower than
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

  /// How much of the scheduler's time some work takes.
  ///
  /// - Throws: what the work throws.
  public func measure(_ work: () throws -> Void) rethrows -> SchedulerTimeType.Stride {
    let start = now
    try work()
    return start.distance(to: now)
  }
}
#endif

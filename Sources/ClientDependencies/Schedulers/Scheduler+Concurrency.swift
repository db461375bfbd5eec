#if !PointFreeDependencies
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
  /// The stream ends when its reader is cancelled or lets go of it. A reader that is slower than
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

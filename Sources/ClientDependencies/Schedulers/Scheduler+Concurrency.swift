#if !PointFreeDependencies
// The type of the times has to be known to the stream's end, which may come on any thread.
extension Scheduler where SchedulerTimeType: SendableMetatype {
  /// Sleeps for a time of the scheduler, which goes on meanwhile.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(
    for duration: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride = .zero,
    options: SchedulerOptions? = nil
  ) async throws {
    try Task.checkCancellation()
    let ticks = timer(interval: duration, tolerance: tolerance, options: options)
    for await _ in ticks { break }
    try Task.checkCancellation()
  }

  /// Sleeps until a time of the scheduler, which goes on meanwhile.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(
    until deadline: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride = .zero,
    options: SchedulerOptions? = nil
  ) async throws {
    try await sleep(for: now.distance(to: deadline), tolerance: tolerance, options: options)
  }

  /// The scheduler's time once in each interval, first when one interval is over.
  ///
  /// The stream ends when its reader is cancelled or lets go of it. A reader that is slower than
  /// the ticks finds all of them.
  public func timer(
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride = .zero,
    options: SchedulerOptions? = nil
  ) -> AsyncStream<SchedulerTimeType> {
    AsyncStream { continuation in
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

/// Measures the time since a starting point on any clock.
package struct Stopwatch: Sendable {
  /// The time since the start.
  package let elapsed: @Sendable () -> Duration
  /// Sleeps until the stopwatch shows this time, which may have passed; throws if the task is
  /// canceled.
  package let sleep: @Sendable (_ until: Duration) async throws -> Void

  /// Starts the stopwatch.
  package init(_ clock: any Clock<Duration>) {
    self = Self.start(clock)
  }

  private init<C: Clock>(from beginning: C.Instant, by clock: C) where C.Duration == Duration {
    elapsed = { beginning.duration(to: clock.now) }
    sleep = { time in
      try Task.checkCancellation()
      let deadline = beginning.advanced(by: time)
      // For a deadline that has passed, a test clock would sleep until it is advanced, so do not
      // sleep.
      if clock.now < deadline { try await clock.sleep(until: deadline, tolerance: nil) }
    }
  }

  private static func start<C: Clock>(_ clock: C) -> Stopwatch where C.Duration == Duration {
    Stopwatch(from: clock.now, by: clock)
  }
}

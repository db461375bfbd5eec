#if !PointFreeDependencies
/// A clock on which no sleep takes time: a sleep moves the time to its deadline and returns.
public final class ImmediateClock<Duration: DurationProtocol & Hashable>: Clock {
  /// A time on the clock, as the distance from its start.
  public typealias Instant = ClockInstant<Duration>

  /// The distance that sleeps may add without an error: none.
  public let minimumResolution: Duration = .zero
  // Held to read or move the time, never across a suspension.
  private let time: Lock<Instant>

  /// Makes a clock that shows `now`.
  public init(now: Instant = Instant()) {
    time = Lock(now)
  }

  /// The furthest deadline that anything slept to.
  public var now: Instant { time.withLock { $0 } }

  /// Moves the time to the deadline and lets other tasks run.
  ///
  /// - Throws: `CancellationError` in a cancelled task.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    time.withLock { $0 = max($0, deadline) }
    await Task.yield()
  }
}

extension ImmediateClock where Duration == Swift.Duration {
  /// Makes a clock whose time is at zero.
  public convenience init() {
    self.init(now: Instant())
  }
}
#endif

#if !PointFreeDependencies
/// A clock whose sleeps return at once and move the time to the deadline.
public final class ImmediateClock<Duration: DurationProtocol & Hashable>: Clock {
  /// A time on the clock, as the duration since the clock's start.
  public typealias Instant = ClockInstant<Duration>

  /// Always zero.
  public let minimumResolution: Duration = .zero
  // The lock is held to read or move the time, never across a suspension.
  private let time: Lock<Instant>

  /// Creates a clock at the time `now`.
  public init(now: Instant = Instant()) {
    time = Lock(now)
  }

  /// The latest deadline of all sleeps.
  public var now: Instant { time.withLock { $0 } }

  /// Moves the time to the deadline and lets other tasks run.
  ///
  /// - Throws: `CancellationError` in a canceled task.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    time.withLock { $0 = max($0, deadline) }
    await Task.yield()
  }
}

extension ImmediateClock where Duration == Swift.Duration {
  /// Creates a clock at time zero.
  public convenience init() {
    self.init(now: Instant())
  }
}

/// A clock that reports an issue at every use, for tests that should not depend on time.
///
/// After the report, it forwards the call to a base clock, by default an immediate clock. The issue
/// belongs to the test that created the clock, even if another thread uses it.
public struct UnimplementedClock<Duration: DurationProtocol & Hashable>: Clock {
  /// A time on the clock, as the duration since the clock's start.
  public typealias Instant = ClockInstant<Duration>

  /// The clock's name in issues.
  public let name: String
  private let origin = IssueOrigin.current
  private let base: AnyClock<Duration>
  /// The clock's time at its creation.
  private let start: Instant

  /// Creates a clock with a name for issues and the time `now`.
  public init(name: String = "Clock", now: Instant = Instant()) {
    self.name = name
    base = AnyClock(ImmediateClock(now: now))
    start = now
  }

  /// Creates a clock that reports an issue and forwards to another clock.
  public init(_ base: some Clock<Duration>, name: String = "Clock") {
    self.name = name
    self.base = AnyClock(base)
    start = Instant()
  }

  /// Reports an issue and returns the base clock's time.
  public var now: Instant {
    report("now")
    return start.advanced(by: base.now.offset)
  }

  /// Reports an issue and returns the base clock's resolution.
  public var minimumResolution: Duration {
    report("minimumResolution")
    return base.minimumResolution
  }

  /// Reports an issue and sleeps on the base clock.
  ///
  /// - Throws: `CancellationError` in a canceled task.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    report("sleep")
    try await base.sleep(
      until: Instant(offset: start.duration(to: deadline)), tolerance: tolerance)
  }

  private func report(_ member: String) {
    origin.reportIssue(
      """
      \(Unimplemented("\(name).\(member)")). Override the clock in the test, with an 'ImmediateClock' or a 'TestClock'.
      """)
  }
}

extension UnimplementedClock where Duration == Swift.Duration {
  /// Creates a clock with a name for issues.
  public init(name: String = "Clock") {
    self.init(name: name, now: Instant())
  }
}
#endif

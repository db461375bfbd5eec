#if !PointFreeDependencies
/// A clock that reports an issue whenever it is used: the clock of a test that should not depend on
/// time.
///
/// A sleep on it is reported, and then happens on the clock below: by default one on which no task
/// waits. The issue belongs to the test that the clock was made in, also where the clock is used on
/// another thread.
public struct UnimplementedClock<Duration: DurationProtocol & Hashable>: Clock {
  /// A time on the clock, as the distance from its start.
  public typealias Instant = ClockInstant<Duration>

  /// What the clock is called in issues.
  public let name: String
  private let origin = IssueOrigin.current
  private let base: AnyClock<Duration>
  /// What the clock showed when it was made.
  private let start: Instant

  /// Makes a clock that calls itself `name` in issues and shows `now`.
  public init(name: String = "Clock", now: Instant = Instant()) {
    self.name = name
    base = AnyClock(ImmediateClock(now: now))
    start = now
  }

  /// Makes a clock that does what another one does after it has reported an issue.
  public init(_ base: some Clock<Duration>, name: String = "Clock") {
    self.name = name
    self.base = AnyClock(base)
    start = Instant()
  }

  /// Reports an issue; the time is that of the clock below.
  public var now: Instant {
    report("now")
    return start.advanced(by: base.now.offset)
  }

  /// Reports an issue.
  public var minimumResolution: Duration {
    report("minimumResolution")
    return base.minimumResolution
  }

  /// Reports an issue and sleeps on the clock below.
  ///
  /// - Throws: `CancellationError` in a cancelled task.
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
  /// Makes a clock that calls itself `name` in issues.
  public init(name: String = "Clock") {
    self.init(name: name, now: Instant())
  }
}
#endif

import IssueReporting

/// A clock that no test expects to be used.
public final class UnimplementedClock<Duration: DurationProtocol & Hashable>: Clock {
  /// A time on the clock.
  public typealias Instant = ImmediateClock<Duration>.Instant

  private let name: String
  private let base: ImmediateClock<Duration>

  /// Creates a clock whose time is `now`.
  public init(name: String = "Clock", now: Instant = .init()) {
    self.name = name
    base = ImmediateClock(now: now)
  }

  /// Reports an issue.
  public var now: Instant {
    reportIssue("Unimplemented: \(name).now")
    return base.now
  }

  /// Reports an issue.
  public var minimumResolution: Duration {
    reportIssue("Unimplemented: \(name).minimumResolution")
    return .zero
  }

  /// Reports an issue.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    reportIssue("Unimplemented: \(name).sleep")
    try await base.sleep(until: deadline, tolerance: tolerance)
  }
}

extension UnimplementedClock where Duration == Swift.Duration {
  /// Creates a clock whose time is zero.
  public convenience init(name: String = "Clock") { self.init(name: name, now: .init()) }
}

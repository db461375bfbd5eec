import Synchronization

/// A clock on which a sleep ends at once.
public final class ImmediateClock<Duration: DurationProtocol & Hashable>: Clock {
  /// A time on the clock.
  public struct Instant: InstantProtocol {
    /// The duration since the clock's start.
    public var offset: Duration

    /// Creates a time at an offset from the clock's start.
    public init(offset: Duration = .zero) { self.offset = offset }

    /// Returns the time that is later by a duration.
    public func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }

    /// The duration from this time to another time.
    public func duration(to other: Self) -> Duration { other.offset - offset }

    /// Whether the first time is earlier than the second.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.offset < rhs.offset }
  }

  /// The resolution with which the clock can end a sleep.
  public let minimumResolution: Duration = .zero
  private let time: Mutex<Instant>

  /// Creates a clock whose time is `now`.
  public init(now: Instant = .init()) { time = Mutex(now) }

  /// The clock's time: the deadline of the last sleep.
  public var now: Instant { time.withLock { $0 } }

  /// Sets the clock's time to the deadline, without waiting.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    time.withLock { $0 = deadline }
    await Task.yield()
  }
}

extension ImmediateClock where Duration == Swift.Duration {
  /// Creates a clock whose time is zero.
  public convenience init() { self.init(now: .init()) }
}

import Synchronization

/// A clock on which a sleep ends at once.
public final class ImmediateClock<Duration: DurationProtocol & Hashable>: Clock {
  /// A time on the clock.
  public struct Instant: InstantProtocol {
    /// The distance from the clock's start.
    public var offset: Duration

    /// A time by its distance from the clock's start.
    public init(offset: Duration = .zero) { self.offset = offset }

    /// A later time.
    public func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }

    /// The distance to another time.
    public func duration(to other: Self) -> Duration { other.offset - offset }

    /// Whether a time is earlier.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.offset < rhs.offset }
  }

  /// The resolution with which the clock can end a sleep.
  public let minimumResolution: Duration = .zero
  private let time: Mutex<Instant>

  /// A clock that shows `now`.
  public init(now: Instant = .init()) { time = Mutex(now) }

  /// The end of the last sleep.
  public var now: Instant { time.withLock { $0 } }

  /// Moves the time.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    time.withLock { $0 = deadline }
    await Task.yield()
  }
}

extension ImmediateClock where Duration == Swift.Duration {
  /// A clock at zero.
  public convenience init() { self.init(now: .init()) }
}

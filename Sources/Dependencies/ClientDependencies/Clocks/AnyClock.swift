#if !PointFreeDependencies
/// A type-erased clock, for code that cannot use `any Clock`.
///
/// For example, a type that is generic over its clock, `struct Metronome<C: Clock>`:
///
/// ```swift
/// @Dependency(\.continuousClock) var clock
/// let metronome = Metronome(clock: AnyClock(clock))
/// ```
public struct AnyClock<Duration: DurationProtocol & Hashable>: Clock {
  /// A time on the clock, as the distance from the time at which the clock was wrapped.
  public typealias Instant = ClockInstant<Duration>

  private let readNow: @Sendable () -> Instant
  private let readResolution: @Sendable () -> Duration
  private let sleepUntil: @Sendable (Instant, Duration?) async throws -> Void

  /// Wraps a clock.
  public init<C: Clock>(_ clock: C) where C.Instant.Duration == Duration {
    let start = clock.now
    readNow = { Instant(offset: start.duration(to: clock.now)) }
    readResolution = { clock.minimumResolution }
    sleepUntil = { deadline, tolerance in
      try await clock.sleep(until: start.advanced(by: deadline.offset), tolerance: tolerance)
    }
  }

  /// The time on the clock.
  public var now: Instant { readNow() }

  /// The precision of sleeps.
  public var minimumResolution: Duration { readResolution() }

  /// Sleeps on the wrapped clock.
  ///
  /// - Throws: the error of the wrapped clock, which is `CancellationError` in a canceled task.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await sleepUntil(deadline, tolerance)
  }
}

/// A time on a clock for tests: the distance from the clock's start.
public struct ClockInstant<Duration: DurationProtocol & Hashable>: InstantProtocol {
  /// The distance from the clock's start.
  public let offset: Duration

  /// Creates a time by its distance from the clock's start.
  public init(offset: Duration = .zero) {
    self.offset = offset
  }

  /// Returns the time that is later by `duration`.
  public func advanced(by duration: Duration) -> ClockInstant {
    ClockInstant(offset: offset + duration)
  }

  /// Returns the distance to another time, which is negative if that time is earlier.
  public func duration(to other: ClockInstant) -> Duration {
    other.offset - offset
  }

  /// Whether a time is earlier than another.
  public static func < (earlier: ClockInstant, later: ClockInstant) -> Bool {
    earlier.offset < later.offset
  }
}
#endif

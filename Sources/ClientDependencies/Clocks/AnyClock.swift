#if !PointFreeDependencies
/// A clock of any type, for what takes no `any Clock`.
///
/// A type with a parameter for its clock, such as `struct Metronome<C: Clock>`, is one:
///
/// ```swift
/// @Dependency(\.continuousClock) var clock
/// let metronome = Metronome(clock: AnyClock(clock))
/// ```
public struct AnyClock<Duration: DurationProtocol & Hashable>: Clock {
  /// A time on the clock, as the distance from the time at which it was wrapped.
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

  /// The distance that sleeps may add.
  public var minimumResolution: Duration { readResolution() }

  /// Sleeps on the wrapped clock.
  ///
  /// - Throws: what that clock throws, which is `CancellationError` in a cancelled task.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await sleepUntil(deadline, tolerance)
  }
}
#endif

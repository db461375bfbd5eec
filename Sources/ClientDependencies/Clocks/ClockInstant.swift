#if !PointFreeDependencies
/// A time on a clock for tests: the distance from the clock's start.
public struct ClockInstant<Duration: DurationProtocol & Hashable>: InstantProtocol {
  /// The distance from the clock's start.
  public let offset: Duration

  /// A time by its distance from the clock's start.
  public init(offset: Duration = .zero) {
    self.offset = offset
  }

  /// The time that is later by `duration`.
  public func advanced(by duration: Duration) -> ClockInstant {
    ClockInstant(offset: offset + duration)
  }

  /// The distance to another time, negative where that is earlier.
  public func duration(to other: ClockInstant) -> Duration {
    other.offset - offset
  }

  /// Whether a time is earlier than another.
  public static func < (earlier: ClockInstant, later: ClockInstant) -> Bool {
    earlier.offset < later.offset
  }
}
#endif

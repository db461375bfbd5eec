/// Decides when to report a lag.
struct LagMeter {
  /// Shorter backlogs are no lag.
  static let least = Duration.seconds(1)
  /// A reported lag is over below this.
  static let over = Duration.milliseconds(500)
  /// The minimum change to report a lag again.
  static let step = Duration.seconds(1)

  private var reported = Duration.zero

  /// Takes the current backlog; returns the lag to report, zero when a lag is over.
  mutating func add(_ waiting: Duration) -> Duration? {
    guard reported > .zero else { return waiting >= Self.least ? report(waiting) : nil }
    if waiting < Self.over { return report(.zero) }
    return max(waiting - reported, reported - waiting) >= Self.step ? report(waiting) : nil
  }

  private mutating func report(_ lag: Duration) -> Duration {
    reported = lag
    return lag
  }
}

/// Decides when to report a lag.
struct LagMeter {
  /// Shorter backlogs are no lag.
  static let least = Duration.seconds(1)
  /// A reported lag is over below this.
  static let over = Duration.milliseconds(500)
  /// The minimum change to report a lag again.
  static let step = Duration.seconds(1)

  private var told = Duration.zero

  /// Takes the current backlog; returns the lag to report, zero when a lag is over.
  mutating func add(_ waiting: Duration) -> Duration? {
    guard told > .zero else { return waiting >= Self.least ? tell(waiting) : nil }
    if waiting < Self.over { return tell(.zero) }
    return max(waiting - told, told - waiting) >= Self.step ? tell(waiting) : nil
  }

  private mutating func tell(_ lag: Duration) -> Duration {
    told = lag
    return lag
  }
}

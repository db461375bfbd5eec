/// Decides when a lag is worth telling.
struct LagMeter {
  /// A lag is none below this.
  static let least = Duration.seconds(1)
  /// A lag that was told is over below this.
  static let over = Duration.milliseconds(500)
  /// How much a lag must have changed to be told again.
  static let step = Duration.seconds(1)

  private var told = Duration.zero

  /// Takes what waits now; what to tell, zero where a lag is over.
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

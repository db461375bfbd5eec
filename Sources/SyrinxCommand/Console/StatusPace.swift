/// Lets through at most ten statuses for each second of sound.
struct StatusPace {
  private var next = Duration.zero

  /// Whether a status at this position is to be shown.
  mutating func admits(_ position: Duration) -> Bool {
    guard position >= next else { return false }
    next = position + .milliseconds(100)
    return true
  }
}

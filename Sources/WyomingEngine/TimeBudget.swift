/// The time that an operation may still take.
struct TimeBudget {
  let whole: Duration
  private let deadline: ContinuousClock.Instant

  init(_ whole: Duration) {
    self.init(whole, left: whole)
  }

  private init(_ whole: Duration, left: Duration) {
    self.whole = whole
    deadline = ContinuousClock.now + left
  }

  /// The first of equal parts of the remaining time.
  func part(of count: Int) -> TimeBudget { TimeBudget(whole, left: left / count) }

  /// The remaining time; zero or less when it is over.
  var left: Duration { ContinuousClock.now.duration(to: deadline) }
}

/// The time that an operation may still take.
struct TimeBudget {
  let whole: Duration
  private let deadline: ContinuousClock.Instant

  init(_ whole: Duration) {
    self.whole = whole
    deadline = ContinuousClock.now + whole
  }

  /// The remaining time; zero or less when it is over.
  var left: Duration { ContinuousClock.now.duration(to: deadline) }
}

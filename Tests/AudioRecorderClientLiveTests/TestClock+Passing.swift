import ClientDependencies

extension TestClock<Duration> {
  /// Lets a card's time pass, step by step, until something has happened.
  ///
  /// Time that passes before the card waits for it would be made up for at once: more than a
  /// recording's thread can follow.
  func pass(by step: Duration = .milliseconds(50), until hasHappened: () async -> Void) async {
    let passing = Task {
      while !Task.isCancelled {
        await sleepers(atLeast: 1)
        guard !Task.isCancelled else { break }
        await advance(by: step)
      }
    }
    await hasHappened()
    passing.cancel()
    await passing.value
  }
}

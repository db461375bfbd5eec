import ClientDependencies

extension TestClock<Duration> {
  /// Lets a card's time pass while something goes on, a step at a time, and only when somebody
  /// waits for it: what passed before would be made up for at once, which no thread can follow.
  ///
  /// A device may close at any moment, and nobody waits any more then: this ends with what goes on.
  /// - Parameter step: a period of most cards, unless it is said.
  func pass<Failure: Error>(
    by step: Duration = .milliseconds(25), while body: () async throws(Failure) -> Void
  ) async throws(Failure) {
    let passing = Task {
      while !Task.isCancelled {
        // Whoever is told something gets the time that it takes to hear it.
        for _ in 0..<50 { await Task.yield() }
        await sleepers(atLeast: 1)
        guard !Task.isCancelled else { break }
        await advance(by: step)
      }
    }
    let outcome: Result<Void, Failure>
    do throws(Failure) {
      outcome = .success(try await body())
    } catch {
      outcome = .failure(error)
    }
    passing.cancel()
    await passing.value
    try outcome.get()
  }
}

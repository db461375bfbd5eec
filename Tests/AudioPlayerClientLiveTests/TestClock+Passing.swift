import ClientDependencies

extension TestClock<Duration> {
  /// Lets a card's time pass while something goes on, a period of 25 ms at a time, and only when
  /// somebody waits for it.
  ///
  /// A device may close at any moment, and nobody waits any more then: this ends with what goes on.
  func pass<Failure: Error>(while body: () async throws(Failure) -> Void) async throws(Failure) {
    let passing = Task {
      while !Task.isCancelled {
        // Whoever is told something gets the time that it takes to hear it.
        for _ in 0..<50 { await Task.yield() }
        await sleepers(atLeast: 1)
        guard !Task.isCancelled else { break }
        await advance(by: .milliseconds(25))
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

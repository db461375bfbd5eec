package import ClientDependencies

extension TestClock<Duration> {
  /// Advances the clock while `body` runs, one step at a time and only while something sleeps on it.
  ///
  /// Time that passed before would be made up for at once, which no thread can follow. A device may
  /// close at any moment, and then nothing sleeps anymore: this ends with `body`.
  /// - Parameter step: one period of most devices by default.
  package func pass<Failure: Error>(
    by step: Duration = .milliseconds(25), while body: () async throws(Failure) -> Void
  ) async throws(Failure) {
    let passing = Task {
      while !Task.isCancelled {
        // Consumers get the time to process the events of the last step.
        for _ in 0..<50 { await Task.yield() }
        // A client that only computes has nothing that sleeps.
        await watch(for: 1)
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

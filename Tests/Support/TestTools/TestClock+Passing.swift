package import ClientDependencies

extension TestClock<Duration> {
  /// Advances the clock while `body` runs: one step at a time, and only while something sleeps on
  /// it.
  ///
  /// If time passed while nothing sleeps, a device would have to make up for it at once, which no
  /// thread can do. When a device closes, nothing sleeps anymore, so the end of `body` also ends
  /// this function.
  ///
  /// - Parameters:
  ///   - step: the duration of a step; by default, one period of most devices.
  ///   - body: the work during which the clock advances.
  package func pass<Failure: Error>(
    by step: Duration = .milliseconds(25), while body: () async throws(Failure) -> Void
  ) async throws(Failure) {
    let passing = Task {
      while !Task.isCancelled {
        // Gives consumers the chance to process the events of the last step.
        for _ in 0..<50 { await Task.yield() }
        // Waits until something sleeps, because nothing sleeps while a client only computes.
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

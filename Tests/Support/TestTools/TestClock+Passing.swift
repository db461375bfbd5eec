package import ClientDependencies

extension TestClock<Duration> {
  /// Advances the clock by one step at a time while `body` runs.
  ///
  /// Each step waits until something sleeps on the clock. Otherwise, several steps could pass
  /// before a device responds, and its thread could not catch up. After a device has closed,
  /// nothing sleeps anymore, so the end of `body` also ends the wait for the next step.
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
        // While a client only computes, nothing sleeps, so wait for a sleeper before the next step.
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

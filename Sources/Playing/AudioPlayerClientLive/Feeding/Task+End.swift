import AudioThreads

/// Tasks whose thread may be blocked by a call that never returns, such as a read from a network
/// disk.
///
/// Such a call cannot be canceled. A caller that ends the task waits for at most a second and then
/// leaves the thread alone; the thread's resources are released when the call returns.
extension Task where Failure == any Error {
  /// Returns the value; if the caller is canceled, ends the task and throws `CancellationError`.
  ///
  /// - Parameter clock: measures how long to wait for a blocked task, at most a second.
  func valueOrEnd(_ clock: any Clock<Duration>) async throws -> Success {
    do {
      return try await valueUnlessCancelled()
    } catch {
      await end(clock)
      throw error
    }
  }

  /// Cancels the task and returns when it has ended, or after a second.
  ///
  /// If the process is suspended during the wait, a task that ends in time may still count as
  /// blocked.
  ///
  /// - Returns: whether the task has ended; if not, a call blocks its thread.
  @discardableResult
  func end(_ clock: any Clock<Duration>) async -> Bool {
    cancel()
    let hasEnded = Promise<Bool>()
    Task<Void, Never> {
      _ = await result
      hasEnded.resolve(.success(true))
    }
    let timeout = Task<Void, Never> {
      // The sleep is canceled once the task has ended.
      try? await clock.sleep(for: .seconds(1))
      hasEnded.resolve(.success(false))
    }
    defer { timeout.cancel() }
    return (try? await hasEnded.result.get()) == true
  }
}

import AudioThreads

/// A task whose thread may be blocked by a call without end, such as a read from a network disk.
///
/// Such a call cannot be canceled. A caller that ends the task waits for at most a second and then
/// leaves the thread alone; the thread's resources are released when the call returns.
struct AbandonableTask<Value: Sendable>: Sendable {
  private let task: Task<Value, any Error>
  private let clock: any Clock<Duration>
  private let ended = Gate()
  /// Opens when the task has ended or the wait for it has timed out.
  private let released = Gate()

  /// - Parameter clock: measures the wait for a blocked call.
  init(clock: any Clock<Duration>, _ body: @escaping @Sendable () async throws -> Value) {
    self.clock = clock
    task = Task { [ended, released] in
      defer {
        ended.open()
        released.open()
      }
      return try await body()
    }
  }

  /// Whether the task has ended, so that nothing blocks its thread.
  var hasEnded: Bool { ended.isOpen }

  /// The result, without a time limit.
  var value: Value {
    get async throws { try await task.value }
  }

  /// The result; if the caller is canceled, cancels the task, waits for it for at most a second, and
  /// throws `CancellationError`.
  func valueUnlessCancelled() async throws -> Value {
    do {
      return try await task.valueUnlessCancelled()
    } catch {
      await end()
      throw error
    }
  }

  func cancel() {
    task.cancel()
  }

  /// Cancels the task and returns when it has ended, or after a second.
  func end() async {
    cancel()
    guard !released.isOpen else { return }
    let timeout = Task { [clock, released] in
      // The sleep is canceled once the task has ended.
      try? await clock.sleep(for: .seconds(1))
      released.open()
    }
    await released.wait()
    timeout.cancel()
  }
}

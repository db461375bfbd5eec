import AudioThreads

/// Work on a thread that a call may hold up for as long as it likes, as a read from a network's
/// disk does.
///
/// Such a call cannot be ended. A caller that abandons the work waits for a moment, and leaves the
/// thread alone after that: what the thread owns is released when the call returns.
struct HeldUpWork<Value: Sendable>: Sendable {
  private let task: Task<Value, any Error>
  private let clock: any Clock<Duration>
  private let ended = Gate()
  /// Opens when the work has ended, or has been waited for long enough.
  private let released = Gate()

  /// - Parameter clock: the one that the wait for a call that does not return is measured by.
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

  /// Whether it has ended: nothing holds up its thread.
  var hasEnded: Bool { ended.isOpen }

  /// What it gives, however long that takes.
  var value: Value {
    get async throws { try await task.value }
  }

  /// What it gives; where the waiting task is cancelled, so is the work, and the task gets
  /// `CancellationError` as soon as it has ended, within a second.
  func valueUnlessCancelled() async throws -> Value {
    do {
      return try await task.valueUnlessCancelled()
    } catch {
      await end()
      throw error
    }
  }

  /// Cancels it.
  func cancel() {
    task.cancel()
  }

  /// Cancels it and returns when it has ended, within a second.
  func end() async {
    cancel()
    guard !released.isOpen else { return }
    let patience = Task { [clock, released] in
      // Where there is nothing more to wait for, it is cancelled.
      try? await clock.sleep(for: .seconds(1))
      released.open()
    }
    await released.wait()
    patience.cancel()
  }
}

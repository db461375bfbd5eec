import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// Runs blocking work on a thread of its own and returns what it gives.
///
/// Cancelling returns at once, also where a sound server does not answer; what the work gives later
/// is let go. So is what it gives after the limit, by the clock: `notAnswering` is thrown then.
func onThread<Value: Sendable>(
  _ name: String, for id: AudioDevice.ID, limit: Duration? = nil,
  by clock: any Clock<Duration> = ContinuousClock(),
  _ work: @escaping @Sendable () throws(SoundCardError) -> Value
) async throws -> Value {
  let handover = Handover<Value>()
  let watch = limit.map { limit in
    Task {
      try await clock.sleep(for: limit)
      handover.give(.failure(SoundCardError.notAnswering(id, operation: name)))
    }
  }
  defer { watch?.cancel() }
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { continuation in
      guard handover.expect(continuation) else { return }
      start(name, for: id, giving: handover, work)
    }
  } onCancel: {
    handover.give(.failure(CancellationError()))
  }
}

private func start<Value: Sendable>(
  _ name: String, for id: AudioDevice.ID, giving handover: Handover<Value>,
  _ work: @escaping @Sendable () throws(SoundCardError) -> Value
) {
  do throws(ThreadError) {
    _ = try DedicatedThread.start(name: name) {
      handover.give(Result { try work() })
    }
  } catch {
    let reason = SoundCardError.failed(
      id, operation: "pthread_create", code: error.code, reason: "\(error)")
    handover.give(.failure(reason))
  }
}

/// Where a thread leaves its result for a task that may have gone; the first result counts.
private final class Handover<Value: Sendable>: Sendable {
  private enum State {
    case early
    case expected(CheckedContinuation<Value, any Error>)
    case over
  }
  // Held for a few instructions by the task and by the thread that only opens, never by a card's
  // thread.
  private let state = Mutex(State.early)

  /// False, and the continuation resumed, where the task was cancelled before.
  func expect(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
    let isOver = state.withLock { state in
      if case .over = state { return true }
      state = .expected(continuation)
      return false
    }
    if isOver { continuation.resume(throwing: CancellationError()) }
    return !isOver
  }

  func give(_ result: Result<Value, any Error>) {
    let waiting = state.withLock { state in
      defer { state = .over }
      if case .expected(let continuation) = state { return Optional(continuation) }
      return nil
    }
    waiting?.resume(with: result)
  }
}

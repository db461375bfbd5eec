import AudioCore
import AudioThreads
import SoundCard

/// Runs blocking work on a new thread and returns its result.
///
/// Cancellation returns at once, even if a sound server hangs; the later result is discarded.
/// Throws `notAnswering` after `limit`, measured by `clock`.
func onThread<Value: Sendable>(
  _ name: String, for id: AudioDevice.ID, limit: Duration? = nil,
  by clock: any Clock<Duration> = ContinuousClock(),
  _ work: @escaping @Sendable () throws(SoundCardError) -> Value
) async throws -> Value {
  try Task.checkCancellation()
  let promise = Promise<Value>()
  do throws(ThreadError) {
    _ = try DedicatedThread.start(name: name) { promise.resolve(Result { try work() }) }
  } catch {
    throw SoundCardError.failed(
      id, operation: "pthread_create", code: error.code, reason: "\(error)")
  }
  let timeout = limit.map { limit in
    Task {
      try await clock.sleep(for: limit)
      promise.resolve(.failure(SoundCardError.notAnswering(id, operation: name)))
    }
  }
  defer { timeout?.cancel() }
  return try await promise.value()
}

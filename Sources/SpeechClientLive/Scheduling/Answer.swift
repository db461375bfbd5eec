import AudioThreads
import Synchronization

/// What one thread works out and another waits for.
final class Answer<Value: Sendable>: Sendable {
  private let wakeUp: WakeUp
  // Held to give the result and to look at it.
  private let result = Mutex<Result<Value, any Error>?>(nil)

  init() throws(WakeUpError) {
    wakeUp = try WakeUp()
  }

  /// Gives the answer; a second one is forgotten.
  func give(_ value: Result<Value, any Error>) {
    result.withLock { $0 = $0 ?? value }
    wakeUp.signal()
  }

  /// Blocks the calling thread until there is an answer; one thread may wait.
  func wait() throws -> Value {
    while true {
      if let result = result.withLock({ $0 }) { return try result.get() }
      wakeUp.wait()
    }
  }
}

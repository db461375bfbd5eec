import AudioThreads
import SoundCard
import Synchronization

/// Serializes opening: "opening is not re-entrant in some plug-ins".
///
/// An opening that hangs delays only the next one, for at most the limit.
final class OpeningQueue: Sendable {
  private let limit: Duration
  // Held for the exchange of a reference by opening threads, never by an audio thread.
  private let last = Mutex<WakeUp?>(nil)

  init(limit: Duration) {
    self.limit = limit
  }

  /// Runs `body` after the previous opening, or after the limit.
  func run<Value>(_ body: () -> Value) throws(WakeUpError) -> Value {
    let ended = try WakeUp()
    let previous = last.withLock { last in
      defer { last = ended }
      return last
    }
    previous?.wait(atMost: limit)
    defer { ended.signal() }
    return body()
  }
}

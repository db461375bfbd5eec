import AudioThreads
import SoundCard
import Synchronization

/// Lets threads open devices one after the other: "opening is not re-entrant in some plug-ins".
///
/// A turn that takes too long, because a sound server does not answer, holds up the next one for
/// the limit, and those after that not at all.
final class OpeningTurns: Sendable {
  private let limit: Duration
  // Held for the exchange of a reference, by threads that only open, never by a card's thread.
  private let last = Mutex<WakeUp?>(nil)

  init(limit: Duration) {
    self.limit = limit
  }

  /// Runs `body` after the turn before it, or when that has lasted too long.
  func take<Value>(_ body: () -> Value) throws(WakeUpError) -> Value {
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

import AudioThreads
import Synchronization

/// The slots for clients.
final class ConnectionSlots: Sendable {
  private struct State {
    var free: Int
    /// Those who wait for a slot, in order; none while a slot is free.
    var queue: [Gate] = []

    mutating func take() -> Bool {
      guard free > 0 else { return false }
      free -= 1
      return true
    }

    mutating func take(orQueue turn: Gate) -> Bool {
      if take() { return true }
      queue.append(turn)
      return false
    }

    /// Returns false if the slot was given before.
    mutating func leaveQueue(_ turn: Gate) -> Bool {
      guard let index = queue.firstIndex(where: { $0 === turn }) else { return false }
      queue.remove(at: index)
      return true
    }

    mutating func release() -> Gate? {
      guard queue.isEmpty else { return queue.removeFirst() }
      free += 1
      return nil
    }
  }

  // Held to take or return a slot; whoever waits is woken after it is released.
  private let state: Mutex<State>

  init(count: Int) {
    state = Mutex(State(free: count))
  }

  /// Takes a slot if one is free.
  func take() -> Bool {
    state.withLock { $0.take() }
  }

  /// Takes a slot as soon as one is free, and returns false if none is free in time.
  func take(within limit: Duration, on clock: any Clock<Duration>) async -> Bool {
    let turn = Gate()
    guard !state.withLock({ $0.take(orQueue: turn) }) else { return true }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        // Cancellation ends the wait as well.
        try? await clock.sleep(for: limit)
        turn.open()
      }
      await turn.wait()
      group.cancelAll()
    }
    return !state.withLock { $0.leaveQueue(turn) }
  }

  /// Returns a slot, to the first who waits for one.
  func release() {
    state.withLock { $0.release() }?.open()
  }
}

import AudioPlayerClient
import AudioThreads
import Synchronization

/// Those who wait until what they wished is in force.
final class ControlWaiters: Sendable {
  private struct State {
    var settled = 0
    var isOver = false
    var waiting: [(serial: Int, answer: FirstAnswer<Void>)] = []
  }

  private let id: PlaybackID
  // Held for a few instructions; who waits goes on after it is released.
  private let state = Mutex(State())

  init(_ id: PlaybackID) {
    self.id = id
  }

  /// Returns when the wishes with this serial number, or later ones, are in force.
  ///
  /// Throws `unknownPlayback` where the playback ended before.
  func settled(_ serial: Int) async throws {
    let answer = FirstAnswer<Void>()
    let known = state.withLock { state -> Result<Void, any Error>? in
      if state.settled >= serial { return .success(()) }
      if state.isOver { return .failure(AudioPlayerError.unknownPlayback(id)) }
      state.waiting.append((serial, answer))
      return nil
    }
    if let known { return try known.get() }
    try await answer.value()
  }

  /// The wishes up to this serial number are in force.
  func settle(_ serial: Int) {
    for waiter in take({ $0.settled = max($0.settled, serial) }) {
      waiter.give(.success(()))
    }
  }

  /// The playback is over.
  func end() {
    let waiting = state.withLock { state in
      state.isOver = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting {
      waiter.answer.give(.failure(AudioPlayerError.unknownPlayback(id)))
    }
  }

  /// Those who are content after a change of the state.
  private func take(_ change: (inout State) -> Void) -> [FirstAnswer<Void>] {
    state.withLock { state in
      change(&state)
      let content = state.waiting.filter { $0.serial <= state.settled }
      state.waiting.removeAll { $0.serial <= state.settled }
      return content.map(\.answer)
    }
  }
}

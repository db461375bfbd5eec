import ClientDependencies
import Synchronization

/// Notices when a peer leaves a connection waiting for too long.
final class PeerWatch: Sendable {
  private struct State {
    var waits: [Int: Duration] = [:]
    var next = 0
  }

  // Held to note the beginning and the end of a wait.
  private let state = Mutex(State())
  private let sleep: @Sendable (Duration) async throws -> Void
  private let elapsed: @Sendable () -> Duration

  init(clock: some Clock<Duration>) {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(for: $0) }
  }

  /// Runs what waits for the peer.
  func waiting<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    let now = elapsed()
    let wait = state.withLock { state in
      state.next += 1
      state.waits[state.next] = now
      return state.next
    }
    defer { state.withLock { $0.waits[wait] = nil } }
    return try await body()
  }

  /// Returns when the peer has been waited for that long without a break; else it is cancelled.
  func untilIdle(for limit: Duration) async throws {
    while true {
      let now = elapsed()
      let longest = state.withLock { $0.waits.values.map { now - $0 }.max() } ?? .zero
      guard longest < limit else { return }
      try await sleep(limit - longest)
    }
  }
}

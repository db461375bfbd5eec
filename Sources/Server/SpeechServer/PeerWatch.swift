import AudioThreads
import ClientDependencies
import Synchronization

/// Detects a peer that keeps a connection for too long without audio.
///
/// A second of audio restores the whole time limit. The time of recognition does not count toward
/// the limit, which expires only while the server waits for the peer.
final class PeerWatch: Sendable {
  private struct State {
    var left: Duration
    /// The time up to which idle time has been counted.
    var counted = Duration.zero
    /// The number of calls that wait for the peer.
    var waits = 0
    /// The number of calls that recognize the peer's audio.
    var recognitions = 0
    /// The idle time so far, minus 30 seconds for each second of audio.
    var idleTime = Duration.zero

    /// Whether idle time is counted; false only while the server recognizes the peer's audio and
    /// does not wait for the peer.
    var isCounting: Bool { waits > 0 || recognitions == 0 }

    mutating func count(until now: Duration) {
      if isCounting {
        left -= now - counted
        idleTime += now - counted
      }
      counted = now
    }
  }

  private static let idleTimePerAudio = 30

  private let limit: Duration?
  // The lock is held to change the state and to count the time before the change.
  private let state: Mutex<State>
  private let begins = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let replacement = AsyncStream.makeStream(of: Void.self)
  private let sleep: @Sendable (Duration) async throws -> Void
  private let stopwatch: Stopwatch

  /// Creates a watch with the time limit `limit`; nil for none.
  init(limit: Duration?, clock: some Clock<Duration>) {
    stopwatch = Stopwatch(clock)
    sleep = { try await clock.sleep(for: $0) }
    self.limit = limit
    state = Mutex(State(left: limit ?? .zero))
  }

  /// Runs work during which the server waits for the peer.
  func waiting<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    change { $0.waits += 1 }
    begins.continuation.yield()
    defer { change { $0.waits -= 1 } }
    return try await body()
  }

  /// Runs work that recognizes the peer's audio, or waits for a recognizer.
  func recognizing<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    change { $0.recognitions += 1 }
    defer { change { $0.recognitions -= 1 } }
    return try await body()
  }

  /// Restores the time limit in proportion to the received audio, and reduces the idle time.
  func credit(audio: Duration) {
    // The idle time is first limited to 30 seconds, so a second of audio always resets it to zero.
    let most = Duration.seconds(Self.idleTimePerAudio)
    change { state in
      state.idleTime = max(.zero, min(state.idleTime, most) - audio * Self.idleTimePerAudio)
    }
    guard let limit else { return }
    let (seconds, attoseconds) = min(audio, .seconds(1)).components
    let share = Double(seconds) + Double(attoseconds) / 1e18
    change { $0.left = min(limit, $0.left + limit * share) }
  }

  /// Returns when the limit expires while the server waits for the peer.
  func untilIdle() async throws {
    for await _ in begins.stream {
      while limit != nil, let left = timeLeft {
        guard left > .zero else { return }
        try await sleep(left)
      }
    }
    throw CancellationError()
  }

  /// The remaining time; nil unless the server waits for the peer.
  var timeLeft: Duration? {
    change { $0.waits > 0 ? $0.left : nil }
  }

  /// The time for which the peer has been connected without audio; nil while the server recognizes
  /// its audio.
  ///
  /// A second of audio offsets 30 seconds without audio, so a few samples do not protect a peer
  /// from being replaced.
  var idleTime: Duration? {
    change { $0.isCounting ? $0.idleTime : nil }
  }

  /// Records that another peer has replaced this one.
  func replace() {
    replacement.continuation.yield()
  }

  /// Returns when another peer has replaced this one, or the call is canceled.
  func untilReplaced() async {
    for await _ in replacement.stream { return }
  }

  /// Returns the fault of a peer that is idle for too long, or that another peer has replaced; nil if
  /// the call is canceled.
  func untilFault() async -> ServerFault? {
    await firstEnding(
      of: { [self] in (try? await untilIdle()) == nil ? nil : limit.map { .idle($0) } },
      { [self] in
        await untilReplaced()
        return Task.isCancelled ? nil : .replaced
      })
  }

  @discardableResult
  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let now = stopwatch.elapsed()
    return state.withLock { state in
      state.count(until: now)
      return body(&state)
    }
  }
}

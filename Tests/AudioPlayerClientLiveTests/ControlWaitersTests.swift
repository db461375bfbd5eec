import AudioPlayerClient
import Testing

@testable import AudioPlayerClientLive

@Suite struct ControlWaitersTests {
  private let waiters = ControlWaiters("a")

  @Test func `who waits goes on when its wish or a later one is in force`() async throws {
    async let first: Void = waiters.settled(1)
    async let second: Void = waiters.settled(2)
    waiters.settle(2)
    try await first
    try await second
    try await waiters.settled(2)
  }

  @Test func `the end lets all others go with an error`() async {
    let waiting = Task { [waiters] in try await waiters.settled(3) }
    waiters.settle(2)
    waiters.end()
    await #expect(throws: AudioPlayerError.unknownPlayback("a")) { try await waiting.value }
    await #expect(throws: AudioPlayerError.unknownPlayback("a")) { try await waiters.settled(3) }
  }

  @Test func `a cancelled task does not wait`() async {
    let waiting = Task { [waiters] in try await waiters.settled(1) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }
}

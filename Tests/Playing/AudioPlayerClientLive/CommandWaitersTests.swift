import AudioPlayerClient
import Testing

@testable import AudioPlayerClientLive

@Suite struct CommandWaitersTests {
  private let waiters = CommandWaiters("a")

  @Test func `a waiting command returns when its parameters or later ones are in effect`()
    async throws
  {
    async let first: Void = waiters.waitUntilSettled(1)
    async let second: Void = waiters.waitUntilSettled(2)
    waiters.settle(2)
    try await first
    try await second
    try await waiters.waitUntilSettled(2)
  }

  @Test func `the end of a playback fails its waiting commands`() async {
    let waiting = Task { [waiters] in try await waiters.waitUntilSettled(3) }
    waiters.settle(2)
    waiters.end()
    await #expect(throws: AudioPlayerError.unknownPlayback("a")) { try await waiting.value }
    await #expect(throws: AudioPlayerError.unknownPlayback("a")) {
      try await waiters.waitUntilSettled(3)
    }
  }

  @Test func `a cancelled task does not wait for its command`() async {
    let waiting = Task { [waiters] in try await waiters.waitUntilSettled(1) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }
}

import ClientDependencies
import Testing

@testable import SpeechServer

@Suite struct PeerWatchTests {
  private let clock = TestClock()
  private let watch: PeerWatch

  init() {
    watch = PeerWatch(limit: .seconds(30), clock: clock)
  }

  /// Returns the peer's remaining time after the server has waited this long for it.
  private func timeLeft(afterWaiting time: Duration) async -> Duration? {
    await watch.waiting {
      await clock.advance(by: time)
      return watch.timeLeft
    }
  }

  @Test func `time that passes between two waits also counts toward the time limit`() async {
    #expect(await timeLeft(afterWaiting: .seconds(10)) == .seconds(20))
    await clock.advance(by: .seconds(5))
    #expect(watch.timeLeft == nil)
    #expect(await timeLeft(afterWaiting: .seconds(1)) == .seconds(14))
  }

  @Test
  func `a second of audio restores the whole time limit, and less audio restores a part of it`()
    async
  {
    #expect(await timeLeft(afterWaiting: .seconds(29)) == .seconds(1))
    watch.credit(audio: .milliseconds(500))
    #expect(await timeLeft(afterWaiting: .zero) == .seconds(16))
    watch.credit(audio: .seconds(100))
    #expect(await timeLeft(afterWaiting: .zero) == .seconds(30))
    watch.credit(audio: .seconds(1))
    #expect(await timeLeft(afterWaiting: .zero) == .seconds(30))
  }

  @Test func `recognition uses up the time limit only if the server waits for the peer`() async {
    await watch.recognizing { await clock.advance(by: .seconds(20)) }
    #expect(await timeLeft(afterWaiting: .zero) == .seconds(30))
    let left = await watch.recognizing { await timeLeft(afterWaiting: .seconds(20)) }
    #expect(left == .seconds(10))
  }

  @Test func `a peer is recognized until the last of several recognitions ends`() async {
    await watch.recognizing {
      await watch.recognizing { await clock.advance(by: .seconds(20)) }
      await clock.advance(by: .seconds(20))
      #expect(watch.idleTime == nil)
    }
    #expect(watch.idleTime == .zero)
  }

  @Test func `an idle peer and a replaced one have a fault, unless the wait for it is canceled`()
    async
  {
    watch.replace()
    #expect(await watch.untilFault() == .replaced)
    let second = PeerWatch(limit: .seconds(30), clock: clock)
    let fault = Task { await second.untilFault() }
    await second.waiting {
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(30))
      #expect(await fault.value == .idle(.seconds(30)))
    }
    let third = PeerWatch(limit: .seconds(30), clock: clock)
    let canceled = Task { await third.untilFault() }
    canceled.cancel()
    #expect(await canceled.value == nil)
  }

  @Test func `idle time grows unless audio is recognized, and a second of audio resets it`()
    async
  {
    await clock.advance(by: .seconds(40))
    #expect(watch.idleTime == .seconds(40))
    watch.credit(audio: .milliseconds(500))
    #expect(watch.idleTime == .seconds(15))
    await watch.recognizing {
      await clock.advance(by: .seconds(5))
      #expect(watch.idleTime == nil)
      await watch.waiting { #expect(watch.idleTime == .seconds(15)) }
    }
    watch.credit(audio: .seconds(1))
    #expect(watch.idleTime == .zero)
  }

  @Test func `waits that add up to the time limit make a peer idle, even if each wait is short`()
    async throws
  {
    let idle = Task { try await watch.untilIdle() }
    for _ in 0..<15 { _ = await timeLeft(afterWaiting: .seconds(2)) }
    await watch.waiting { try? await idle.value }
    #expect(!idle.isCancelled)
  }

  @Test func `without a time limit, only a cancellation ends the wait for an idle peer`() async {
    let patient = PeerWatch(limit: nil, clock: clock)
    let idle = Task { try await patient.untilIdle() }
    await patient.waiting { await clock.advance(by: .seconds(1_000_000)) }
    idle.cancel()
    await #expect(throws: CancellationError.self) { try await idle.value }
  }
}

import AudioCore
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import SoundCard
import Synchronization
import Testing
import VirtualSoundCard

@testable import AudioPlayerClientLive

/// A sound ends while other sounds continue.
@Suite struct EndBesideOthersTests {
  let harness: AudioThreadHarness
  let second = [Float](repeating: 0.25, count: 8_000)
  let long = [Float](repeating: 0.25, count: 40_000)

  init() throws { harness = try AudioThreadHarness() }

  @Test(arguments: [0, 800, 40_000, 2_000_000_000])
  func `beside another sound, a sound ends at most one buffer plus 250 ms late`(
    claimed: Int
  ) throws {
    harness.pcm.claimedDelay = { _ throws(SoundCardError) in claimed }
    let short = try harness.voice(second)
    var told: [AudioThreadHarness.Event] = []
    harness.pcm.at(1_000 + 100 + 250 + 25) { _ in told = harness.events() }
    try harness.run([try harness.voice(long), short])
    #expect(told == [.finished(ObjectIdentifier(short))])
    #expect(short.playedFrames.load(ordering: .relaxed) == 8_000)
  }

  @Test
  func `beside another sound, a sound ends only when a server has played the sound's last frame`()
    throws
  {
    // The server holds half a second in addition to the device's buffer of 100 ms.
    harness.pcm.claimedDelay = { level throws(SoundCardError) in level + 4_000 }
    let short = try harness.voice(second)
    var (early, late): ([AudioThreadHarness.Event], [AudioThreadHarness.Event]) = ([], [])
    harness.pcm.at(1_000 + 500 - 30) { _ in early = harness.events() }
    harness.pcm.at(1_000 + 500 + 50) { _ in late = harness.events() }
    try harness.run([try harness.voice(long), short])
    #expect(early == [])
    #expect(late == [.finished(ObjectIdentifier(short))])
  }

  @Test func `frames left in the device by a system sleep are played before the sound ends`()
    throws
  {
    // With this false delay, no frame ever appears to be played.
    harness.pcm.claimedDelay = { _ throws(SoundCardError) in 2_000_000_000 }
    let short = try harness.voice(second)
    var (early, late): ([AudioThreadHarness.Event], [AudioThreadHarness.Event]) = ([], [])
    harness.pcm.at(1_050) { pcm in
      pcm.outcomes = [
        (.interrupted(PCMInterruption(cause: .suspended, lost: 8_000)), .seconds(1))
      ]
    }
    // At 2,050 ms, after the suspend, the device begins to play the 100 ms in its buffer.
    harness.pcm.at(2_050 + 100) { _ in early = harness.events() }
    harness.pcm.at(2_050 + 100 + 250 + 50) { _ in late = harness.events() }
    try harness.run([try harness.voice(long), short])
    let name = ObjectIdentifier(short)
    #expect(!early.contains(.finished(name)))
    #expect(late == [.finished(name)])
  }

  @Test(.timeLimit(.minutes(5)))
  func `while a loop plays, play returns in time even if the device reports false delays`()
    async throws
  {
    let harness = PlayerHarness(faults: [.claimedDelay(2_000_000_000)])
    let looping = await harness.start(
      PlaybackRequest(source: .buffers([staircase(4_000)]), repetition: .forever, id: "loop"))
    let short = await harness.start(PlaybackRequest(source: .buffers([staircase(4_000)])))
    // 500 ms of sound, the buffer of four periods, the grace period of 250 ms, and two more
    // periods.
    await harness.clock.advance(by: .milliseconds(500 + 100 + 250 + 50))
    try await short.value
    #expect(
      harness.events.compactMap(\.finish)
        == [PlaybackFinish(reason: .completed, played: .milliseconds(500))])
    looping.cancel()
    await harness.clock.advance(by: .seconds(1))
    _ = await looping.result
  }
}

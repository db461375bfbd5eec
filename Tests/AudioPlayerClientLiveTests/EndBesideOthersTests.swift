import AudioCore
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import SoundCard
import Synchronization
import Testing
import VirtualSoundCard

@testable import AudioPlayerClientLive

/// When a sound is over while others sound on.
@Suite struct EndBesideOthersTests {
  let bench: CardBench
  let second = [Float](repeating: 0.25, count: 8_000)
  let long = [Float](repeating: 0.25, count: 40_000)

  init() throws { bench = try CardBench() }

  @Test(arguments: [0, 800, 40_000, 2_000_000_000])
  func `a sound is over after its length, the device's buffer and 250 ms, beside others too`(
    claimed: Int
  ) throws {
    bench.pcm.claimedDelay = { _ throws(SoundCardError) in claimed }
    let short = try bench.voice(second)
    var told: [CardBench.Told] = []
    bench.pcm.at(1_000 + 100 + 250 + 25) { _ in told = bench.events() }
    try bench.run([try bench.voice(long), short])
    #expect(told == [.finished(ObjectIdentifier(short))])
    #expect(short.heardFrames.load(ordering: .relaxed) == 8_000)
  }

  @Test func `a sound that a server still holds is not over, beside others too`() throws {
    // Half a second, behind a buffer of 100 ms.
    bench.pcm.claimedDelay = { level throws(SoundCardError) in level + 4_000 }
    let short = try bench.voice(second)
    var (early, late): ([CardBench.Told], [CardBench.Told]) = ([], [])
    bench.pcm.at(1_000 + 500 - 30) { _ in early = bench.events() }
    bench.pcm.at(1_000 + 500 + 50) { _ in late = bench.events() }
    try bench.run([try bench.voice(long), short])
    #expect(early == [])
    #expect(late == [.finished(ObjectIdentifier(short))])
  }

  @Test func `what a device held when the machine slept is heard before the sound is over`()
    throws
  {
    // What the device claims keeps it from ever being seen to have played anything.
    bench.pcm.claimedDelay = { _ throws(SoundCardError) in 2_000_000_000 }
    let short = try bench.voice(second)
    var (early, late): ([CardBench.Told], [CardBench.Told]) = ([], [])
    bench.pcm.at(1_050) { pcm in
      pcm.outcomes = [
        (.interrupted(PCMInterruption(cause: .suspended, lost: 8_000)), .seconds(1))
      ]
    }
    // The device plays what it held from 2,050 ms on.
    bench.pcm.at(2_050 + 100) { _ in early = bench.events() }
    bench.pcm.at(2_050 + 100 + 250 + 50) { _ in late = bench.events() }
    try bench.run([try bench.voice(long), short])
    let name = ObjectIdentifier(short)
    #expect(!early.contains(.finished(name)))
    #expect(late == [.finished(name)])
  }

  @Test(.timeLimit(.minutes(1)))
  func `play returns in time on a card that lies about its delay, beside a loop`() async throws {
    let deck = Deck(faults: [.claimedDelay(2_000_000_000)])
    let looping = await deck.start(
      PlaybackRequest(source: .buffers([staircase(4_000)]), repetition: .forever, id: "loop"))
    let short = await deck.start(PlaybackRequest(source: .buffers([staircase(4_000)])))
    // The sound, the buffer of four periods, the grace, and two periods around it.
    await deck.clock.advance(by: .milliseconds(500 + 100 + 250 + 50))
    try await short.value
    #expect(
      deck.events.compactMap(\.finish)
        == [PlaybackFinish(reason: .completed, heard: .milliseconds(500))])
    looping.cancel()
    await deck.clock.advance(by: .seconds(1))
    _ = await looping.result
  }
}

import AudioCore
import AudioThreads
import SoundCard
import Testing

@testable import AudioPlayerClientLive

@Suite struct CardThreadTests {
  let bench: CardBench
  let second = [Float](repeating: 0.5, count: 8_000)

  init() throws { bench = try CardBench() }

  @Test(arguments: [
    PCMWakeUp.interrupted(PCMInterruption(cause: .xrun, lost: 80_000)), .timedOut, .woken,
  ])
  func `a process that was stopped for longer than five seconds plays on`(first: PCMWakeUp) throws {
    bench.pcm.at(300) { $0.outcomes = [(first, .seconds(10))] }
    try bench.run([try bench.voice(second)])
    #expect(bench.pcm.written.prefix(8_000).elementsEqual(second))
  }

  @Test func `a device that takes no frames is given up, and asked for them not without a pause`()
    throws
  {
    bench.pcm.takesFrames = false
    #expect(throws: SoundCardError.self) { try bench.run([try bench.voice(second)]) }
    #expect(bench.pcm.elapsed >= .seconds(5))
    #expect(bench.pcm.writes < 1_000)
  }

  @Test func `a sound that is stopped on a device that takes no frames is over at once`() throws {
    let voice = try bench.voice(second)
    bench.pcm.at(300) { pcm in
      pcm.takesFrames = false
      voice.stop()
    }
    try bench.run([voice])
    // It plays 100 ms more, and is then waited for in vain: 2 buffers and 250 ms.
    #expect(bench.pcm.elapsed < .milliseconds(300 + 100 + 450 + 50))
  }

  @Test func `a device that is pulled out while it plays out is lost`() throws {
    bench.pcm.at(1_000) { pcm in
      pcm.claimedDelay = { _ throws(SoundCardError) in throw .deviceLost("simulated") }
    }
    #expect(throws: SoundCardError.deviceLost("simulated")) {
      try bench.run([try bench.voice(second)])
    }
    #expect(bench.events().isEmpty)
  }

  @Test(arguments: [1, 800, 8_000, 12_800])
  func `a sound is over after its length, the device's buffer and 250 ms, whatever the delay`(
    claimed: Int
  ) throws {
    bench.pcm.claimedDelay = { _ throws(SoundCardError) in claimed }
    let voice = try bench.voice(second)
    try bench.run([voice])
    #expect(bench.events() == [.finished(ObjectIdentifier(voice))])
    #expect(bench.pcm.elapsed <= .milliseconds(1_000 + 100 + 250 + 1))
  }

  @Test func `room is not signalled where nobody waits for it`() throws {
    let voice = try bench.voice(second)
    try bench.run([voice])
    #expect(!voice.room.clear())
  }

  @Test func `room that is wished for is signalled`() throws {
    let voice = try bench.voice(second)
    voice.roomWish.make()
    try bench.run([voice])
    #expect(voice.room.clear())
  }
}

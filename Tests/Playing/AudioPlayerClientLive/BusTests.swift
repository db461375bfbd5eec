import AudioCore
import AudioPlayerClient
import ClientDependencies
import SoundCard
import TestTools
import Testing
import VirtualSoundCard

/// Several sounds together, through the client's endpoints.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct BusTests {
  private let harness = PlayerHarness()

  private func steady(_ value: Float, seconds: Int = 1) -> PlaybackSource {
    .buffers([
      AudioBuffer(
        format: PlayerHarness.format, samples: .init(repeating: value, count: 8_000 * seconds))
    ])
  }

  @Test func `the volume of a bus applies to its current and later sounds and to no others`()
    async throws
  {
    await harness.player.setBusVolume(bus: .music, volume: 0.25, ramp: .zero)
    let music = await harness.start(PlaybackRequest(source: steady(0.5), bus: .music))
    await harness.pass(1)
    let effects = await harness.start(PlaybackRequest(source: steady(0.25), bus: .effects))
    try await harness.finish(music)
    try await harness.finish(effects)
    // 0.125 is the music alone, 0.375 is the music with the effects, and 0.25 is the effects alone.
    #expect(harness.played.first == 0.125)
    #expect(harness.played.contains(0.375))
    #expect(harness.played.allSatisfy { [0.125, 0.375, 0.25, 0].contains($0) })
    #expect(harness.hasPlayed([Float](repeating: 0.375, count: 4_000)))
  }

  @Test func `a volume ramp of a bus takes its full time while sounds play on the bus`()
    async throws
  {
    let playing = await harness.start(
      PlaybackRequest(source: steady(0.5, seconds: 2), bus: "speech"))
    await harness.pass(8)
    await harness.player.setBusVolume(bus: "speech", volume: 0, ramp: .milliseconds(500))
    try await harness.finish(playing)
    let falling = harness.played.prefix(16_000).filter { $0 > 0 && $0 < 0.5 }
    #expect(abs(falling.count - 4_000) <= 1)
    #expect(largestStep(Array(falling)) <= 0.5 / 4_000 + 1e-6)
    #expect(harness.played.prefix(16_000).last == 0)
  }

  @Test func `two sounds that together exceed full scale are limited, and the gain is reported`()
    async throws
  {
    let first = await harness.start(PlaybackRequest(source: steady(0.9)))
    let second = await harness.start(PlaybackRequest(source: steady(0.9)))
    try await harness.finish(first)
    try await harness.finish(second)
    let gains = harness.events.compactMap { event in
      if case .limited(let gain) = event { gain.value } else { nil }
    }
    #expect(harness.played.allSatisfy { abs($0) <= 1 })
    #expect(harness.played.contains { $0 > 0.95 })
    #expect(gains.min().map { abs($0 + 5.105) < 0.01 } == true, "\(gains)")
  }

  @Test func `a preloaded sound begins in the next period, alone or beside another sound`()
    async throws
  {
    let sound = try await withDependencies {
      $0.soundCard = harness.card.soundCard
    } operation: {
      try await harness.player.preload(source: steady(0.25))
    }
    let alone = await harness.start(PlaybackRequest(source: .preloaded(sound)))
    try await harness.finish(alone)
    let silence = harness.played.prefix { $0 == 0 }.count
    let background = await harness.start(PlaybackRequest(source: steady(0.5, seconds: 2)))
    await harness.pass(8)
    // The audio thread sleeps only after it has refilled the device.
    await harness.clock.sleepers(atLeast: 1)
    let written = harness.played.count
    let beside = await harness.start(PlaybackRequest(source: .preloaded(sound)))
    await harness.pass(1)
    await harness.clock.sleepers(atLeast: 1)
    #expect(harness.played.dropFirst(written).contains(0.75))
    try await harness.finish(beside)
    try await harness.finish(background)
    #expect(silence <= 200)
    let first = try #require(harness.played.firstIndex(of: 0.75))
    // The sound begins within the next period of 200 frames.
    #expect((written..<(written + 200)).contains(first), "\(first - written)")
  }
}

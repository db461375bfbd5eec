import AudioCore
import AudioPlayerClient
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// What several sounds are together, through the client's endpoints.
@Suite(.timeLimit(.minutes(2))) struct BusTests {
  private let deck = Deck()

  private func steady(_ value: Float, seconds: Int = 1) -> PlaybackSource {
    .buffers([
      AudioBuffer(format: Deck.format, samples: .init(repeating: value, count: 8_000 * seconds))
    ])
  }

  @Test func `a bus's volume is that of its sounds, now and later, and of no other`() async throws {
    await deck.player.setBusVolume(bus: .music, volume: 0.25, ramp: .zero)
    let music = await deck.start(PlaybackRequest(source: steady(0.5), bus: .music))
    let effects = await deck.start(PlaybackRequest(source: steady(0.25), bus: .effects))
    try await deck.finish(music)
    try await deck.finish(effects)
    // The music alone, with the effects, and what is left of them.
    #expect(deck.played.first == 0.125)
    #expect(deck.played.contains(0.375))
    #expect(deck.played.allSatisfy { [0.125, 0.375, 0.25, 0].contains($0) })
    #expect(deck.hasPlayed([Float](repeating: 0.375, count: 4_000)))
  }

  @Test func `a ramp of a bus takes its time while its sounds go on`() async throws {
    let playing = await deck.start(PlaybackRequest(source: steady(0.5, seconds: 2), bus: "speech"))
    await deck.pass(8)
    await deck.player.setBusVolume(bus: "speech", volume: 0, ramp: .milliseconds(500))
    try await deck.finish(playing)
    let falling = deck.played.prefix(16_000).filter { $0 > 0 && $0 < 0.5 }
    #expect(abs(falling.count - 4_000) <= 1)
    #expect(largestStep(Array(falling)) <= 0.5 / 4_000 + 1e-6)
    #expect(deck.played.prefix(16_000).last == 0)
  }

  @Test func `what two sounds are above full scale is turned down, and told`() async throws {
    let first = await deck.start(PlaybackRequest(source: steady(0.9)))
    let second = await deck.start(PlaybackRequest(source: steady(0.9)))
    try await deck.finish(first)
    try await deck.finish(second)
    let gains = deck.events.compactMap { event in
      if case .limited(let gain) = event { gain.dBFS } else { nil }
    }
    #expect(deck.played.allSatisfy { abs($0) <= 1 })
    #expect(deck.played.contains { $0 > 0.95 })
    #expect(gains.min().map { abs($0 + 5.105) < 0.01 } == true, "\(gains)")
  }

  @Test func `a preloaded sound is in the next period, alone and beside another`() async throws {
    let sound = try await withDependencies {
      $0.soundCard = deck.card.soundCard
    } operation: {
      try await deck.player.preload(source: steady(0.25))
    }
    let alone = await deck.start(PlaybackRequest(source: .preloaded(sound)))
    try await deck.finish(alone)
    let silence = deck.played.prefix { $0 == 0 }.count
    let background = await deck.start(PlaybackRequest(source: steady(0.5, seconds: 2)))
    await deck.pass(8)
    let written = deck.played.count
    let beside = await deck.start(PlaybackRequest(source: .preloaded(sound)))
    await deck.pass(1)
    #expect(deck.played.dropFirst(written).contains(0.75))
    try await deck.finish(beside)
    try await deck.finish(background)
    #expect(silence <= 200)
    let first = try #require(deck.played.firstIndex(of: 0.75))
    // As many frames as a period has, and not one more.
    #expect((written..<(written + 200)).contains(first), "\(first - written)")
  }
}

import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// The sound card that a player uses if it is called outside the scope that created it.
@Suite struct PlayerScopeTests {
  private let card = VirtualSoundCard(pace: .untimed)
  private let other = VirtualSoundCard(pace: .untimed)

  private let click = AudioSignal.impulse().buffer(
    1, format: AudioFormat(sampleRate: 8_000, channelCount: 2))

  private func play(_ player: AudioPlayerClient) async throws {
    let request = PlaybackRequest(source: .buffers([click]))
    for try await _ in await player.playback(request: request) {}
  }

  private func isOnCard(_ card: VirtualSoundCard) -> Bool {
    card.played.map { $0.samples.prefix(2) } == [[1, 1]]
  }

  @Test func `a player made in a scope plays on the scope's card, even after the scope has ended`()
    async throws
  {
    let player = withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      AudioPlayerClient.liveValue
    }
    try await play(player)
    #expect(isOnCard(card))
  }

  @Test func `live(on:) plays, lists devices, and preloads on its card`() async throws {
    let player = AudioPlayerClient.live(on: card.soundCard)
    try await play(player)
    #expect(isOnCard(card))
    #expect(try await player.devices() == card.soundCard.devices())
    let sound = try await player.preload(source: .buffers([click]))
    for try await _ in await player.playback(request: PlaybackRequest(source: .preloaded(sound))) {}
    #expect(card.played.count == 2)
  }

  @Test func `a sound card overridden at the call takes precedence`() async throws {
    let player = AudioPlayerClient.live(on: card.soundCard)
    try await withDependencies {
      $0.soundCard = other.soundCard
    } operation: {
      try await play(player)
    }
    #expect(isOnCard(other) && card.played.isEmpty)
    try await play(player)
    #expect(isOnCard(card))
  }

  @Test func `a sound card overridden at the call takes precedence over an open device`()
    async throws
  {
    let player = AudioPlayerClient.live(on: card.soundCard)
    // Keeps the device of the player's own card open.
    let sound = try await player.preload(source: .buffers([click]))
    try await withDependencies {
      $0.soundCard = other.soundCard
    } operation: {
      try await play(player)
      let request = PlaybackRequest(source: .preloaded(sound))
      for try await _ in await player.playback(request: request) {}
    }
    #expect(other.played.map { $0.samples.filter { $0 == 1 }.count } == [2, 2])
    try await play(player)
    #expect(isOnCard(card))
  }

  @Test func `a player called in an inner scope plays on the inner scope's card`()
    async throws
  {
    try await withPlayer(on: card) { player in
      try await withDependencies {
        $0.soundCard = other.soundCard
      } operation: {
        try await play(player)
      }
    }
    #expect(isOnCard(other) && card.played.isEmpty)
  }

  @Test func `a player keeps its sound card if a call overrides only another dependency`()
    async throws
  {
    let player = AudioPlayerClient.live(on: card.soundCard)
    try await withDependencies {
      $0.playbackIdleTime = .zero
    } operation: {
      try await play(player)
    }
    #expect(isOnCard(card))
  }

  @Test
  func `a player cached during an override does not keep the override's sound card`()
    async throws
  {
    try await withDependencies {
      $0.context = .live
      // With an idle time, the open device would also serve the next call.
      $0.playbackIdleTime = .zero
    } operation: {
      @Dependency(\.audioPlayer) var player
      try await withDependencies {
        $0.soundCard = card.soundCard
      } operation: {
        try await play(player)
      }
      try await withDependencies {
        $0.soundCard = other.soundCard
      } operation: {
        try await play(player)
      }
      #expect(card.played.count == 1 && other.played.count == 1)
      _ = try? await play(player)
    }
    #expect(card.played.count == 1)
  }
}

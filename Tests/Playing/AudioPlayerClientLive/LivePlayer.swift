import AudioPlayerClient
import AudioPlayerClientLive
import ClientDependencies
import SoundCard
import VirtualSoundCard

/// Runs `body` with the live player on a virtual card.
func withPlayer<Value: Sendable>(
  on card: VirtualSoundCard, _ body: (AudioPlayerClient) async throws -> Value
) async rethrows -> Value {
  try await withDependencies {
    $0.soundCard = card.soundCard
  } operation: {
    try await body(AudioPlayerClient.liveValue)
  }
}

/// Plays on a virtual card and returns all events.
@discardableResult
func play(
  _ request: PlaybackRequest, on card: VirtualSoundCard
) async throws -> [PlaybackEvent] {
  try await withPlayer(on: card) { player in
    try await player.playback(request: request).reduce(into: []) { $0.append($1) }
  }
}

import ALSASoundCard
import AudioPlayerClient
import ClientDependencies
import SoundCard

/// Runs the body with the engines on ALSA, which close an idle device at once.
func withALSA(_ body: () async throws -> Void) async throws {
  try await withDependencies {
    $0.soundCard = .liveValue
    $0.continuousClock = ContinuousClock()
    $0.playbackIdleTime = .zero
  } operation: {
    try await body()
  }
}

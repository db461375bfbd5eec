import ALSASoundCard
import AudioPlayerClient
import ClientDependencies
import SoundCard

/// Does what it is told with the engines on ALSA, which let go of a device as soon as it is idle.
func withALSA(_ body: () async throws -> Void) async throws {
  try await withDependencies {
    $0.soundCard = .liveValue
    $0.continuousClock = ContinuousClock()
    $0.playbackIdleTime = .zero
  } operation: {
    try await body()
  }
}

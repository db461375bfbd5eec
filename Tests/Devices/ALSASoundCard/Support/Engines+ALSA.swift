import ALSASoundCard
import AudioPlayerClient
import ClientDependencies
import SoundCard
import Testing

/// Runs the body of an exit test on ALSA, with clients that close an idle device at once.
///
/// An error becomes an issue, because a thrown error would end the process with SIGILL and without
/// a message.
func withALSA(_ body: () async throws -> Void) async {
  do {
    try await withDependencies {
      $0.soundCard = .liveValue
      $0.continuousClock = ContinuousClock()
      $0.playbackIdleTime = .zero
    } operation: {
      try await body()
    }
  } catch {
    Issue.record(error)
  }
}

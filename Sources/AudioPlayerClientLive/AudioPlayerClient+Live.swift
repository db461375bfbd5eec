public import AudioPlayerClient
public import ClientDependencies

extension AudioPlayerClient: DependencyKey {
  /// A client that plays on `\.soundCard`; each requested device gets its own engine.
  ///
  /// Each access makes a client that stops and controls only its own playbacks: keep one, as
  /// `@Dependency` does.
  public static var liveValue: AudioPlayerClient {
    let player = AudioPlayer()
    return AudioPlayerClient(
      play: { try await player.play(PlaybackRequest(source: .file($0))) },
      loop: { try await player.play(PlaybackRequest(source: .file($0), repetition: .forever)) },
      setVolume: { await player.setVolume($0) },
      stop: { await player.stop() },
      playback: { await player.playback($0) },
      control: { try await player.control($0, $1) },
      setBusVolume: { await player.setVolume($1, of: $0, ramp: $2) },
      preload: { try await player.preload($0, on: $1, $2) },
      devices: { try await player.devices() })
  }
}

public import AudioPlayerClient
public import ClientDependencies
public import SoundCard

extension AudioPlayerClient: DependencyKey {
  /// A client that plays on `\.soundCard`; a device is opened once for all its sounds.
  ///
  /// Each call uses the dependencies overridden at the call, or else those of the scope in which
  /// the client was made. Each access to this property makes a client that stops and controls only
  /// its own playbacks; keep one client, as `@Dependency` does.
  public static var liveValue: AudioPlayerClient {
    let (player, scope) = (AudioPlayer(), CreationScope())
    return AudioPlayerClient(
      play: { url in
        try await scope.run { try await player.play(PlaybackRequest(source: .file(url))) }
      },
      loop: { url in
        let request = PlaybackRequest(source: .file(url), repetition: .forever)
        try await scope.run { try await player.play(request) }
      },
      setVolume: { await player.setVolume($0) },
      stop: { await player.stop() },
      playback: { request in await scope.run { await player.playback(request) } },
      control: { try await player.control($0, $1) },
      setBusVolume: { await player.setVolume($1, of: $0, ramp: $2) },
      busVolume: { await player.buses[$0]?.setting.gain ?? 1 },
      preload: { source, device, latency in
        try await scope.run { try await player.preload(source, on: device, latency) }
      },
      makeMixReader: { player.taps.makeReader($0) },
      devices: { try await scope.run { try await player.devices() } })
  }

  /// A live client on a sound card; an override of `\.soundCard` at the call takes precedence.
  public static func live(on soundCard: SoundCard) -> AudioPlayerClient {
    withDependencies {
      $0.soundCard = soundCard
    } operation: {
      liveValue
    }
  }
}

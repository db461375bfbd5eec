public import AudioCore
public import FoundationEssentials

extension AudioPlayerClient {
  /// Creates a client from its endpoints.
  public init(
    play: @escaping @Sendable (_ url: URL) async throws -> Void,
    loop: @escaping @Sendable (_ url: URL) async throws -> Void,
    setVolume: @escaping @Sendable (_ volume: Float) async -> Void,
    stop: @escaping @Sendable () async -> Void,
    playback:
      @escaping @Sendable (_ request: PlaybackRequest) async
      -> AsyncThrowingStream<PlaybackEvent, any Error>,
    control:
      @escaping @Sendable (_ id: PlaybackID, _ command: PlaybackCommand) async throws -> Void,
    setBusVolume:
      @escaping @Sendable (_ bus: PlaybackBus, _ volume: Float, _ ramp: Duration) async -> Void,
    preload:
      @escaping @Sendable (
        _ source: PlaybackSource, _ device: AudioDevice.ID?, _ latency: PlaybackLatency
      ) async throws -> PreloadedSound,
    devices: @escaping @Sendable () async throws -> [AudioDevice]
  ) {
    self.play = play
    self.loop = loop
    self.setVolume = setVolume
    self.stop = stop
    self.playback = playback
    self.control = control
    self.setBusVolume = setBusVolume
    self.preload = preload
    self.devices = devices
  }

  /// Plays a file once and returns when its last frame has been played; see the endpoint `play`.
  public func play(url: URL) async throws {
    try await play(url)
  }

  /// Plays a file until the task is canceled or `stop` is called; see the endpoint `loop`.
  public func loop(url: URL) async throws {
    try await loop(url)
  }

  /// Sets the volume of all sounds, 0 to 1; see the endpoint `setVolume`.
  public func setVolume(volume: Float) async {
    await setVolume(volume)
  }

  /// Plays a request and reports its events; see the endpoint `playback`.
  public func playback(
    request: PlaybackRequest
  ) async -> AsyncThrowingStream<PlaybackEvent, any Error> {
    await playback(request)
  }

  /// Sends a command to a playback; see the endpoint `control`.
  public func control(id: PlaybackID, command: PlaybackCommand) async throws {
    try await control(id, command)
  }

  /// Sets the volume of a bus, 0 to 1, over `ramp`; see the endpoint `setBusVolume`.
  public func setBusVolume(
    bus: PlaybackBus, volume: Float, ramp: Duration = .milliseconds(20)
  ) async {
    await setBusVolume(bus, volume, ramp)
  }

  /// Decodes a sound and opens its device, the default one for nil; see the endpoint `preload`.
  public func preload(
    source: PlaybackSource, device: AudioDevice.ID? = nil, latency: PlaybackLatency = .normal
  ) async throws -> PreloadedSound {
    try await preload(source, device, latency)
  }
}

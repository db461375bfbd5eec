@_exported public import AudioCore
public import ClientDependencies
public import FoundationEssentials

/// Plays files, buffers, and streams, several at a time.
///
/// Sounds on a device are mixed and kept within full scale. The live value keeps a device open
/// after its last sound; see `DependencyValues.playbackIdleTime`.
public struct AudioPlayerClient: Sendable {
  /// Plays a file once and returns when its last frame has been played.
  ///
  /// Canceling the task fades the sound out and throws `CancellationError`. Throws
  /// `AudioPlayerError`.
  public var play: @Sendable (_ url: URL) async throws -> Void = unimplemented(
    endpoint: "AudioPlayerClient.play")

  /// Plays a file repeatedly without a gap, until the task is canceled or `stop` is called.
  public var loop: @Sendable (_ url: URL) async throws -> Void = unimplemented(
    endpoint: "AudioPlayerClient.loop")

  /// Sets the volume of all current and future sounds: 0 is silence, 1 leaves samples unchanged,
  /// and other values are clamped to 0 to 1.
  ///
  /// The volume changes within 20 ms, without a click.
  public var setVolume: @Sendable (_ volume: Float) async -> Void = unimplemented(
    endpoint: "AudioPlayerClient.setVolume"
  ) { _ in }

  /// Fades out all sounds and returns when they are silent.
  ///
  /// If a file read blocks, the call returns after at most a second, as does a canceled playback.
  /// The reading thread ends when the read returns.
  public var stop: @Sendable () async -> Void = unimplemented(endpoint: "AudioPlayerClient.stop") {
    _ in
  }

  /// Plays a request and reports its events.
  ///
  /// The stream yields `started`, then the other events in order, and ends after `finished`.
  /// Canceling its consumer fades the sound out. The stream throws `AudioPlayerError`; the first
  /// error of an item is thrown after the last item.
  public var playback:
    @Sendable (_ request: PlaybackRequest) async -> AsyncThrowingStream<PlaybackEvent, any Error> =
      unimplemented(endpoint: "AudioPlayerClient.playback") { .finished(throwing: $0) }

  /// Sends a command to a playback and returns when the command has taken effect on the device.
  ///
  /// A pause has taken effect once its fade has been written to the device, a volume ramp once it
  /// has reached its end, and `stop` once the playback is silent. Cancellation ends the wait but
  /// not the command. Throws `AudioPlayerError`: `.unknownPlayback` if no playback has this ID,
  /// except for `stop`; `.notSeekable`; or the error of reading the new position.
  public var control:
    @Sendable (_ id: PlaybackID, _ command: PlaybackCommand) async throws -> Void = unimplemented(
      endpoint: "AudioPlayerClient.control")

  /// Sets the volume of all current and future sounds of a bus: 0 is silence, 1 leaves samples
  /// unchanged, and other values are clamped to 0 to 1.
  ///
  /// The volume changes linearly over `ramp`, from its current value. If no sound of the bus is
  /// playing, the next sound begins with the new volume.
  public var setBusVolume:
    @Sendable (_ bus: PlaybackBus, _ volume: Float, _ ramp: Duration) async -> Void = unimplemented(
      endpoint: "AudioPlayerClient.setBusVolume"
    ) { _ in }

  /// Returns the volume of a bus that `setBusVolume` set last, or 1.
  ///
  /// During a ramp, the volume is the ramp's target. It does not include `PlaybackRequest.ducking`.
  public var busVolume: @Sendable (_ bus: PlaybackBus) async -> Float = unimplemented(
    endpoint: "AudioPlayerClient.busVolume"
  ) { _ in 1 }

  /// Decodes a sound into memory and opens its device, so that a playback of
  /// `PlaybackSource.preloaded` begins with the device's next period.
  ///
  /// The device stays open as long as the sound exists. The latency applies if this call opens the
  /// device. With `.low`, the next period begins within 5 ms and is played 10 ms later. Throws
  /// `AudioPlayerError` or `CancellationError`.
  public var preload:
    @Sendable (
      _ source: PlaybackSource, _ device: AudioDevice.ID?, _ latency: PlaybackLatency
    ) async throws -> PreloadedSound = unimplemented(endpoint: "AudioPlayerClient.preload")

  /// Returns a function that returns the mix that a device has received since the previous call.
  ///
  /// If `device` is nil, the function reads the device that was opened last. The player keeps the
  /// mix from the call of this endpoint on, at most its last two seconds.
  ///
  /// A block is returned when it has been passed to the device, before it is audible. Its
  /// `hostTime` is the time at which its first frame leaves the loudspeaker, computed from the
  /// device's newest report. The frame count restarts when the device is opened, and stops while
  /// the device is paused. `voiceProcessed` uses the mix for echo cancellation.
  public var makeMixReader: @Sendable (_ device: AudioDevice.ID?) -> @Sendable () -> [AudioBuffer] =
    unimplemented(
      endpoint: "AudioPlayerClient.makeMixReader"
    ) { _ -> @Sendable () -> [AudioBuffer] in { [] } }

  /// Lists the playback devices, the default first, without opening them; empty without a sound
  /// card.
  ///
  /// Throws `AudioPlayerError`.
  public var devices: @Sendable () async throws -> [AudioDevice] = unimplemented(
    endpoint: "AudioPlayerClient.devices")

  /// Creates a client whose endpoints are unimplemented.
  public init() {}
}

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
    busVolume: @escaping @Sendable (_ bus: PlaybackBus) async -> Float = unimplemented(
      endpoint: "AudioPlayerClient.busVolume", placeholder: { _ in 1 }),
    preload:
      @escaping @Sendable (
        _ source: PlaybackSource, _ device: AudioDevice.ID?, _ latency: PlaybackLatency
      ) async throws -> PreloadedSound,
    makeMixReader:
      @escaping @Sendable (_ device: AudioDevice.ID?) -> @Sendable () -> [AudioBuffer] = { _ in
        { [] }
      },
    devices: @escaping @Sendable () async throws -> [AudioDevice]
  ) {
    self.play = play
    self.loop = loop
    self.setVolume = setVolume
    self.stop = stop
    self.playback = playback
    self.control = control
    self.setBusVolume = setBusVolume
    self.busVolume = busVolume
    self.preload = preload
    self.makeMixReader = makeMixReader
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

  /// Returns the volume of a bus, 0 to 1; see the endpoint `busVolume`.
  public func busVolume(bus: PlaybackBus) async -> Float {
    await busVolume(bus)
  }

  /// Decodes a sound and opens its device, or the default device for nil; see the endpoint
  /// `preload`.
  public func preload(
    source: PlaybackSource, device: AudioDevice.ID? = nil, latency: PlaybackLatency = .normal
  ) async throws -> PreloadedSound {
    try await preload(source, device, latency)
  }

  /// Returns a function that returns what a device plays; see the endpoint `makeMixReader`.
  public func makeMixReader(device: AudioDevice.ID? = nil) -> @Sendable () -> [AudioBuffer] {
    makeMixReader(device)
  }
}

extension AudioPlayerClient: TestDependencyKey {
  /// A client that reports an issue for every call.
  public static var testValue: AudioPlayerClient { AudioPlayerClient() }

  /// A silent client whose playbacks take as long as their sounds, measured on `\.continuousClock`.
  ///
  /// A file plays for three seconds, or for the requested range.
  public static var previewValue: AudioPlayerClient { .preview() }
}

extension DependencyValues {
  /// The client that plays sound.
  public var audioPlayer: AudioPlayerClient {
    get { self[AudioPlayerClient.self] }
    set { self[AudioPlayerClient.self] = newValue }
  }
}

extension DependencyValues {
  /// The time that the live player keeps a device open after its last sound: 10 s, and zero in
  /// tests.
  ///
  /// The time is measured on `\.continuousClock`. A sound that begins within that time does not
  /// wait for the device to open. With a time above zero, a device is opened with at least two
  /// channels and 44.1 kHz, so that it suits later sounds, unless `PlaybackRequest.deviceFormat` is
  /// set. With zero, the device closes with its last sound, and the first sound determines the
  /// format.
  public var playbackIdleTime: Duration {
    get { self[PlaybackIdleTimeKey.self] }
    set { self[PlaybackIdleTimeKey.self] = newValue }
  }
}

enum PlaybackIdleTimeKey: DependencyKey {
  static let liveValue = Duration.seconds(10)
  static let testValue = Duration.zero
}

public import AudioCore
public import ClientDependencies

/// The seam to hardware: what devices there are, and opening one for playback or capture.
///
/// The live value is ALSA's, in the module `ALSASoundCard`; tests and the command's `virtual`
/// device use `VirtualSoundCard`. Engines reach it through `@Dependency(\.soundCard)`.
public struct SoundCard: Sendable {
  /// The devices that can be opened, the default first; none where there is no sound card.
  ///
  /// No device is opened in order to list it. Throws `SoundCardError`.
  public var devices: @Sendable () async throws -> [AudioDevice] = {
    [origin = IssueOrigin.current] in
    throw reportUnimplemented("SoundCard.devices", from: origin)
  }

  /// Opens a device for playback without waiting for it to become free; throws `SoundCardError`.
  public var openPlayback: @Sendable (_ request: PCMRequest) async throws -> any PlaybackPCM = {
    [origin = IssueOrigin.current] _ in
    throw reportUnimplemented("SoundCard.openPlayback", from: origin)
  }

  /// Opens a device for capture without waiting for it to become free; throws `SoundCardError`.
  public var openCapture: @Sendable (_ request: PCMRequest) async throws -> any CapturePCM = {
    [origin = IssueOrigin.current] _ in
    throw reportUnimplemented("SoundCard.openCapture", from: origin)
  }

  /// A stream of its own for every caller that yields whenever devices may have come or gone.
  ///
  /// It says no more than that: whoever waits for a device tries to open it then. It ends where
  /// nothing is known of such changes, and when its consumer is cancelled or gone; the last one
  /// takes what watches the system with it.
  public var deviceChanges: @Sendable () -> AsyncStream<Void> = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("SoundCard.deviceChanges", from: origin)
    return AsyncStream { $0.finish() }
  }

  /// A sound card none of whose endpoints is implemented.
  public init() {}
}

extension SoundCard {
  /// A sound card from its endpoints; without `deviceChanges` it says nothing of devices that come
  /// and go.
  public init(
    devices: @escaping @Sendable () async throws -> [AudioDevice],
    openPlayback: @escaping @Sendable (_ request: PCMRequest) async throws -> any PlaybackPCM,
    openCapture: @escaping @Sendable (_ request: PCMRequest) async throws -> any CapturePCM,
    deviceChanges: @escaping @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }
  ) {
    self.devices = devices
    self.openPlayback = openPlayback
    self.openCapture = openCapture
    self.deviceChanges = deviceChanges
  }

  /// Opens a device for playback; see the endpoint of the same name.
  public func openPlayback(request: PCMRequest) async throws -> any PlaybackPCM {
    try await openPlayback(request)
  }

  /// Opens a device for capture; see the endpoint of the same name.
  public func openCapture(request: PCMRequest) async throws -> any CapturePCM {
    try await openCapture(request)
  }
}

extension SoundCard {
  /// The devices that can be opened in a direction, the default first; none without a sound card.
  ///
  /// Throws `SoundCardError`.
  package func devices(for direction: AudioDevice.Direction) async throws -> [AudioDevice] {
    do {
      return try await devices().filter { $0.directions.contains(direction) }
    } catch SoundCardError.noSoundCard {
      return []
    }
  }
}

extension SoundCard: TestDependencyKey {
  /// A sound card that reports an issue for every call.
  public static var testValue: SoundCard { SoundCard() }
}

extension DependencyValues {
  /// The sound card that the playback and capture engines open devices on.
  public var soundCard: SoundCard {
    get { self[SoundCard.self] }
    set { self[SoundCard.self] = newValue }
  }
}

public import AudioCore
public import ClientDependencies

/// The interface to audio hardware: lists devices and opens them for playback or capture.
///
/// The live value, in the module `ALSASoundCard`, uses ALSA. Tests and the command's `virtual`
/// device use `VirtualSoundCard`. Engines access it through `@Dependency(\.soundCard)`.
public struct SoundCard: Sendable {
  /// Lists the available devices, the default first, without opening them.
  ///
  /// The list is empty without a sound card. Throws `SoundCardError`.
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

  /// Returns a new stream that yields whenever devices may have been added or removed.
  ///
  /// An element carries no details: try to open the device you wait for. The stream ends if changes
  /// cannot be observed, or when its consumer is canceled or released; the last consumer stops the
  /// observation.
  public var deviceChanges: @Sendable () -> AsyncStream<Void> = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("SoundCard.deviceChanges", from: origin)
    return AsyncStream { $0.finish() }
  }

  /// Creates a sound card whose endpoints are unimplemented.
  public init() {}
}

extension SoundCard {
  /// Creates a sound card from its endpoints; the default `deviceChanges` ends at once.
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
  /// Lists the devices of a direction, the default first; empty without a sound card.
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

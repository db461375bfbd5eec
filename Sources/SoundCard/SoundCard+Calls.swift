public import AudioCore

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

public import AudioCore

extension SoundCard {
  /// A sound card from its endpoints; those left out report an issue when they are called.
  public init(
    devices: @escaping @Sendable () async throws -> [AudioDevice],
    openPlayback: @escaping @Sendable (_ request: PCMRequest) async throws -> any PlaybackPCM,
    openCapture: @escaping @Sendable (_ request: PCMRequest) async throws -> any CapturePCM
  ) {
    self.devices = devices
    self.openPlayback = openPlayback
    self.openCapture = openCapture
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

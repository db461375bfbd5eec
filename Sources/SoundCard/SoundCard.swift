public import AudioCore
import ClientDependencies

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

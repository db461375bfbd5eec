import AudioCore
import ClientDependencies
import SoundCard

/// How a device that was lost is opened again, in the format that it had.
struct DeviceReopening: Sendable {
  let request: PCMRequest
  private let setting: EngineSetting

  /// - Parameters:
  ///   - request: what it was opened with.
  ///   - format: what it settled on.
  init(_ request: PCMRequest, in format: AudioFormat, _ setting: EngineSetting) {
    self.setting = setting
    var request = request
    request.format = format
    request.openingLimit = nil
    self.request = request
  }

  /// Waits for the device, for those who join.
  func watch(tell: @escaping @Sendable () -> Void) -> ReturnWatch<ObjectIdentifier, any PlaybackPCM>
  {
    ReturnWatch(
      .init(
        open: { [setting, request] in
          try await setting.dependencies.yield {
            try await setting.soundCard.openPlayback(request: request)
          }
        },
        close: { $0.close() }, changes: setting.soundCard.deviceChanges),
      clock: setting.clock, tell: tell)
  }
}

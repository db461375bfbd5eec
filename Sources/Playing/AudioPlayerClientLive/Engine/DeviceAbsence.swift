import AudioCore
import ClientDependencies
import SoundCard

/// A lost device, and the voices that have been informed.
struct DeviceAbsence {
  let watch: DeviceReopener<ObjectIdentifier, any PlaybackPCM>
  /// The error of the loss.
  let error: SoundCardError
  /// Whether no device is open; the absence ends only when an opened device plays.
  var isAway = true
  var gap = Duration.zero
  var informed: Set<ObjectIdentifier> = []

  mutating func leave(_ voice: Voice) {
    informed.remove(ObjectIdentifier(voice))
    watch.leave(ObjectIdentifier(voice))
  }
}

/// How a lost device is opened again, in the same format.
struct DeviceReopening: Sendable {
  let request: PCMRequest
  private let settings: PlayerSettings

  /// - Parameters:
  ///   - request: the request that it was opened with.
  ///   - format: the format that it settled on.
  init(_ request: PCMRequest, in format: AudioFormat, _ settings: PlayerSettings) {
    self.settings = settings
    var request = request
    request.format = format
    request.openingLimit = nil
    self.request = request
  }

  /// Returns a watch that opens the device when it returns, for the voices that join.
  func watch(notify: @escaping @Sendable () -> Void) -> DeviceReopener<
    ObjectIdentifier, any PlaybackPCM
  > {
    DeviceReopener(
      open: { [settings, request] in
        try await settings.dependencies.yield {
          try await settings.soundCard.openPlayback(request: request)
        }
      },
      close: { $0.close() }, changes: settings.soundCard.deviceChanges,
      clock: settings.clock, lockstep: settings.soundCard.lockstep, notify: notify)
  }
}

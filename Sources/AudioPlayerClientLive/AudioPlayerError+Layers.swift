import AudioCore
import AudioPlayerClient
import SoundCard

extension AudioPlayerError {
  /// What went wrong with a device, or with what is needed to play on it, as the
  /// client's own error.
  init(_ error: any Error, on device: AudioDevice.ID?) {
    self =
      switch error {
      case let error as AudioPlayerError: error
      case let error as SoundCardError:
        error.lostDevice.map(Self.deviceLost) ?? .device(device, reason: "\(error)")
      default: .system(reason: "\(error)")
      }
  }
}

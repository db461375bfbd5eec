import AudioCore
import AudioRecorderClient
import FilePaths
import FoundationEssentials
import Resampling
import SoundCard
import SoundFile

extension AudioRecorderError {
  /// Converts an error of any lower layer to the client's error; the only place that does so.
  init(_ error: any Error) {
    self =
      switch error {
      case let error as AudioRecorderError: error
      case let error as SoundCardError:
        error.lostDevice.map(Self.deviceLost) ?? .device(error.device, reason: "\(error)")
      case let error as ResamplingError: .unsupportedFormat(reason: "\(error)")
      default: .system(reason: "\(error)")
      }
  }
}

extension AudioRecorderError {
  /// Maps an error of a recording's file.
  init(_ error: SoundFileError, file: URL) {
    self =
      switch error {
      case .diskFull: .diskFull(file)
      case .tooLarge: .fileTooLarge(file)
      case .removed: .fileRemoved(file)
      case .recovered(_, let copy): .fileRecovered(file, copy: FilePath(copy).url)
      default: .file(file, reason: "\(error)")
      }
  }

  /// Maps an error of a recording's descriptor.
  init(ofDescriptor error: SoundFileError) {
    self =
      if case .brokenPipe = error {
        .brokenPipe(reason: "\(error)")
      } else {
        .descriptor(reason: "\(error)")
      }
  }
}

extension SoundCardError {
  /// The failed device, if the error names a device.
  fileprivate var device: AudioDevice.ID? {
    switch self {
    case .noSoundCard: nil
    case .unknownDevice(let id, _), .busy(let id, _), .permissionDenied(let id),
      .unsupported(let id, _), .deviceLost(let id), .notResponding(let id, _),
      .failed(let id, _, _, _):
      id
    }
  }
}

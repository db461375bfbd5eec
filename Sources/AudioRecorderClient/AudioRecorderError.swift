public import AudioCore
public import Foundation

/// Why something could not be recorded, or not to its end; what was recorded before stays.
public enum AudioRecorderError: Error, Equatable, Sendable {
  /// The device could not be opened or is gone; the sentence names it and says what to do.
  case device(AudioDevice.ID?, reason: String)
  /// The file could not be made, written or closed; the sentence names it and says why.
  case file(URL, reason: String)
  /// The file's extension names no format that can be written.
  case unknownFileFormat(URL)
  /// A rate or a number of channels that no recording has, or that the file's format cannot hold.
  case unsupportedFormat(reason: String)
  /// The system refused a thread or a descriptor.
  case system(reason: String)
}

extension AudioRecorderError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .device(_, let reason), .file(_, let reason), .unsupportedFormat(let reason),
      .system(let reason):
      reason
    case .unknownFileFormat(let url):
      "the extension of \"\(url.path)\" names no format that can be recorded; "
        + "use .wav, .flac, .ogg or .opus"
    }
  }
}

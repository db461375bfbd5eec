public import AudioCore
import FilePaths
public import FoundationEssentials

/// The error of a recording or capture; earlier recorded audio is kept.
///
/// Cases are added over time: a `switch` needs a `default`.
public enum AudioRecorderError: Error, Hashable, Codable, Sendable {
  /// The device could not be opened or does not work; `reason` names the device and the remedy.
  case device(AudioDevice.ID?, reason: String)
  /// The device was unplugged or stalled, or its sound server ended or hangs, even during opening.
  ///
  /// The audio recorded before the loss is complete. Record again when the device returns, or use
  /// another device.
  case deviceLost(AudioDevice.ID)
  /// The file could not be created, written, or closed; `reason` names the file.
  case file(URL, reason: String)
  /// The descriptor could not be written; `reason` names the descriptor.
  case descriptor(reason: String)
  /// The reader of the descriptor is gone; `reason` names the descriptor.
  ///
  /// The process gets no SIGPIPE.
  case brokenPipe(reason: String)
  /// The disk or the user's quota is full; earlier recorded audio is kept.
  case diskFull(URL)
  /// The file reached `ulimit -f`, or 4 GiB as AIFF; earlier recorded audio is kept.
  case fileTooLarge(URL)
  /// The file or its folder was removed during the recording, and the audio could not be saved for
  /// lack of space, permission, or time.
  case fileRemoved(URL)
  /// The file or its folder was removed during the recording; `copy` holds the complete recording.
  ///
  /// The copy is beside the file, in the nearest existing parent folder, or in the temporary
  /// folder.
  case fileRecovered(URL, copy: URL)
  /// The file's extension does not belong to a format that can be recorded.
  case unknownFileFormat(URL)
  /// The rate or channel count is impossible, or the file format does not support it.
  case unsupportedFormat(reason: String)
  /// No recording with this ID is running.
  case unknownRecording(RecordingID)
  /// A recording with this ID has not ended yet.
  case idInUse(RecordingID)
  /// The events of this recording have a reader already: `OngoingRecording.events` was read twice.
  case eventsInUse(RecordingID)
  /// The system refused a thread or a descriptor.
  case system(reason: String)
}

extension AudioRecorderError: CustomStringConvertible {
  /// Returns the limits that the file's size may have reached, for messages.
  private static func limit(of file: URL) -> String {
    let isAIFF = ["aif", "aiff"].contains(FilePath(file).pathExtension.lowercased())
    return "`ulimit -f`" + (isAIFF ? ", or 4 GiB of AIFF" : "")
  }

  /// A sentence for users.
  public var description: String {
    switch self {
    case .device(_, let reason), .file(_, let reason), .descriptor(let reason),
      .brokenPipe(let reason), .unsupportedFormat(let reason), .system(let reason):
      reason
    case .deviceLost(let id):
      "the device \"\(id)\" was lost: it was unplugged or stalled, or its sound server "
        + "ended or does not answer; what was recorded before is complete"
    case .diskFull(let url):
      "no space is left on the disk for \(FilePath(url)); what was recorded before is kept"
    case .fileTooLarge(let url):
      "\(FilePath(url)) cannot grow any further (\(Self.limit(of: url))); what was recorded "
        + "before is kept"
    case .fileRemoved(let url):
      "\(FilePath(url)) was removed during the recording, and the audio could not be saved"
    case .fileRecovered(let url, let copy):
      "\(FilePath(url)) was removed during the recording; the audio up to then was saved to \(FilePath(copy))"
    case .unknownRecording(let id): "no recording named \"\(id)\" is running"
    case .idInUse(let id): "\(id) has not ended yet; use a unique ID for each recording"
    case .eventsInUse(let id):
      "the events of \(id) already have a reader; read them once, and pass on what others need"
    case .unknownFileFormat(let url):
      "the extension of \"\(FilePath(url))\" is not that of a recordable format; "
        + "use .wav, .aiff, .au, .caf, .flac, .ogg, .opus, or .mp3"
    }
  }
}

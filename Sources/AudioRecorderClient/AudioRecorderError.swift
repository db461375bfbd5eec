public import AudioCore
import FilePaths
public import FoundationEssentials

/// Why something could not be recorded, or not to its end; what was recorded before stays.
///
/// Cases are added over time: a `switch` wants a `default`.
public enum AudioRecorderError: Error, Hashable, Sendable {
  /// The device could not be opened or does not work; the sentence names it and says what to do.
  case device(AudioDevice.ID?, reason: String)
  /// The device was unplugged or stands still, or its sound server ended or does not answer any
  /// more; also while it is opened.
  ///
  /// What was recorded before is complete. Record again when the device is back, or from another.
  case deviceLost(AudioDevice.ID)
  /// The file could not be made, written or closed; the sentence names it and says why.
  case file(URL, reason: String)
  /// The descriptor could not be written; the sentence names it and says why.
  case descriptor(reason: String)
  /// The reader of the descriptor has gone; the sentence names it. There is no SIGPIPE.
  case brokenPipe(reason: String)
  /// The disk, or the user's quota on it, is full; what was recorded before is kept.
  case diskFull(URL)
  /// The file reached `ulimit -f`, or 4 GiB as AIFF; what was recorded before is kept.
  case fileTooLarge(URL)
  /// The file, or its folder, was removed during the recording, and what was recorded could not be
  /// saved for want of room, rights or time: nothing is left of it.
  case fileRemoved(URL)
  /// The file, or its folder, was removed during the recording; what was recorded before is, as a
  /// complete file, in `copy`: beside it, in the nearest folder above it, or in the system's
  /// temporary folder.
  case fileRecovered(URL, copy: URL)
  /// The file's extension names no format that can be written.
  case unknownFileFormat(URL)
  /// A rate or a number of channels that no recording has, or that the file's format cannot hold.
  case unsupportedFormat(reason: String)
  /// No recording with this name runs.
  case unknownRecording(RecordingID)
  /// A recording with this name has not ended yet.
  case idInUse(RecordingID)
  /// The system refused a thread or a descriptor.
  case system(reason: String)
}

extension AudioRecorderError: CustomStringConvertible {
  /// What keeps a file from growing.
  private static func limit(of file: URL) -> String {
    let isAIFF = ["aif", "aiff"].contains(FilePath(file).pathExtension.lowercased())
    return "`ulimit -f`" + (isAIFF ? ", or 4 GiB of AIFF" : "")
  }

  /// A sentence for people.
  public var description: String {
    switch self {
    case .device(_, let reason), .file(_, let reason), .descriptor(let reason),
      .brokenPipe(let reason), .unsupportedFormat(let reason), .system(let reason):
      reason
    case .deviceLost(let id):
      "the device \"\(id)\" was lost: it was unplugged or stands still, or its sound server "
        + "ended or does not answer; what was recorded before is complete"
    case .diskFull(let url):
      "no space is left on the disk for \(FilePath(url)); what was recorded before is kept"
    case .fileTooLarge(let url):
      "\(FilePath(url)) may not grow any further (\(Self.limit(of: url))); what was recorded "
        + "before is kept"
    case .fileRemoved(let url):
      "\(FilePath(url)) was removed while it was recorded: nothing is left of it"
    case .fileRecovered(let url, let copy):
      "\(FilePath(url)) was removed while it was recorded; what was recorded before is in \(FilePath(copy))"
    case .unknownRecording(let id): "no recording named \"\(id)\" runs"
    case .idInUse(let id): "\(id) has not ended yet; give each recording a name of its own"
    case .unknownFileFormat(let url):
      "the extension of \"\(FilePath(url))\" names no format that can be recorded; "
        + "use .wav, .aiff, .au, .caf, .flac, .ogg, .opus or .mp3"
    }
  }
}

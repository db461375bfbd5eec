public import AudioCore
import FilePaths
public import FoundationEssentials

/// The error of a playback or of a command to it.
///
/// Cases are added over time: a `switch` needs a `default`.
public enum AudioPlayerError: Error, Hashable, Codable, Sendable {
  /// The file could not be opened or read; `reason` names the file.
  case source(URL?, reason: String)
  /// The source contains no frames.
  case emptySource(URL?)
  /// The range begins after the end of the source; `length` is nil if it is unknown.
  case startAfterEnd(URL?, start: Duration, length: Duration?)
  /// A stream or a named pipe can be played only once; to repeat audio, use buffers or a regular
  /// file.
  case streamCannotRepeat
  /// The device could not be opened or does not work; `reason` names the device and the remedy.
  case device(AudioDevice.ID?, reason: String)
  /// The device was unplugged or stalled, or its sound server ended or hangs, even during opening.
  ///
  /// Play again when the device returns, or use another device.
  case deviceLost(AudioDevice.ID)
  /// The system refused a thread or a descriptor, usually because of a limit.
  case system(reason: String)
  /// `limit` sounds already play on this device; wait until one ends.
  case tooManyVoices(limit: Int)
  /// A playback with this ID has not ended yet; use unique IDs.
  case idInUse(PlaybackID)
  /// No playback with this ID is running.
  case unknownPlayback(PlaybackID)
  /// The fade-out exceeds `limit`, the longest fade-out that the player keeps in memory.
  case fadeOutTooLong(limit: Duration)
  /// The speed is not between 0.25 and 4.
  case speedOutOfRange(Double)
  /// The library for speeds other than 1 is missing or does not work; `reason` names the remedy.
  case speedUnavailable(reason: String)
  /// The library for echo cancellation and noise suppression is missing or does not work; `reason`
  /// names the remedy.
  case voiceProcessingUnavailable(reason: String)
  /// The position is unavailable: the source is a stream, or the enqueued item was released.
  case notSeekable(URL?)
}

extension AudioPlayerError: CustomStringConvertible {
  /// A sentence for users.
  public var description: String {
    switch self {
    case .source(_, let reason), .device(_, let reason), .system(let reason): reason
    case .deviceLost(let id):
      "the device \"\(id)\" was lost: it was unplugged or stalled, or its sound server ended or "
        + "does not answer"
    case .emptySource(let url):
      "\(url.map { "\"\(FilePath($0))\"" } ?? "the source") holds no audio: there is nothing to play"
    case .startAfterEnd(let url, let start, let length):
      "\(url.map { "\"\(FilePath($0))\"" } ?? "the source") "
        + "\(length.map { "is \($0.inSeconds) s long" } ?? "has ended"): there is "
        + "nothing to play from \(start.inSeconds) s on; use an earlier start"
    case .streamCannotRepeat:
      "a stream or a named pipe can be played only once; use buffers or a file to repeat them"
    case .tooManyVoices(let limit):
      "\(limit) sounds already play on this device; wait until one of them ends"
    case .idInUse(let id): "\(id) has not ended yet; use a unique ID for each playback"
    case .unknownPlayback(let id): "\(id) is not playing"
    case .fadeOutTooLong(let limit):
      "a fade-out is kept in memory and lasts at most \(limit.components.seconds) s"
    case .speedOutOfRange(let speed): "a speed is 0.25 to 4, not \(speed)"
    case .speedUnavailable(let reason): "the speed cannot be changed: \(reason)"
    case .voiceProcessingUnavailable(let reason): "the voice cannot be processed: \(reason)"
    case .notSeekable(let url):
      "\(url.map { "\"\(FilePath($0))\"" } ?? "the source") cannot be played from there: it is a stream, "
        + "or it was released after it was played"
    }
  }
}

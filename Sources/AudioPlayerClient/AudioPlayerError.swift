public import AudioCore
import FilePaths
public import FoundationEssentials

/// Why something could not be played, or not to its end, or not be told what it was told.
///
/// Cases are added over time: a `switch` over them wants a `default`.
public enum AudioPlayerError: Error, Hashable, Sendable {
  /// The file could not be opened or read; the sentence names it and says why.
  case source(URL?, reason: String)
  /// The source holds no frame, so that there is nothing to play.
  case emptySource(URL?)
  /// The range begins behind the end of the source, whose length is nil where it is not known.
  case startBehindEnd(URL?, start: Duration, length: Duration?)
  /// A stream or a named pipe can be played once only; give buffers or a file to repeat them.
  case streamCannotRepeat
  /// The device could not be opened or does not work; the sentence names it and says what to do.
  case device(AudioDevice.ID?, reason: String)
  /// The device was unplugged or stands still, or its sound server ended or does not answer any
  /// more; also while it is opened.
  ///
  /// Play again when it is back, or on another device.
  case deviceLost(AudioDevice.ID)
  /// The system refused a thread or a descriptor, usually because of a limit.
  case system(reason: String)
  /// So many sounds already play on this device; wait until one ends.
  case tooManyVoices(limit: Int)
  /// A playback of this name has not ended yet; give each a name of its own.
  case idInUse(PlaybackID)
  /// No playback of this name sounds, or none any more.
  case unknownPlayback(PlaybackID)
  /// A fade out is kept in memory, and no longer one than this is.
  case fadeOutTooLong(limit: Duration)
  /// This place of a source cannot be reached: it comes as a stream, and only once, or it was
  /// enqueued and is not kept any more.
  case notSeekable(URL?)
}

extension AudioPlayerError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .source(_, let reason), .device(_, let reason), .system(let reason): reason
    case .deviceLost(let id):
      "the device \"\(id)\" was lost: it was unplugged or stands still, or its sound server ended or "
        + "does not answer"
    case .emptySource(let url):
      "\(url.map { "\"\(FilePath($0))\"" } ?? "the source") holds no audio: there is nothing to play"
    case .startBehindEnd(let url, let start, let length):
      "\(url.map { "\"\(FilePath($0))\"" } ?? "the source") "
        + "\(length.map { "is \($0.inSeconds) s long" } ?? "has come to its end"): there is "
        + "nothing to play from \(start.inSeconds) s on; give an earlier start"
    case .streamCannotRepeat:
      "a stream or a named pipe can be played once only; give buffers or a file to repeat them"
    case .tooManyVoices(let limit):
      "\(limit) sounds already play on this device; wait until one of them ends"
    case .idInUse(let id): "\(id) has not ended yet; give each playback a name of its own"
    case .unknownPlayback(let id): "\(id) does not play, or does not play any more"
    case .fadeOutTooLong(let limit):
      "a fade out is kept in memory and takes at most \(limit.components.seconds) s"
    case .notSeekable(let url):
      "\(url.map { "\"\(FilePath($0))\"" } ?? "the source") comes as a stream, or is not kept once it has "
        + "been heard: it cannot be heard from there"
    }
  }
}

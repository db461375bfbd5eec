public import AudioCore
public import Foundation

/// Why something could not be played, or not to its end.
public enum AudioPlayerError: Error, Equatable, Sendable {
  /// The file could not be opened or read; the sentence names it and says why.
  case source(URL?, reason: String)
  /// The source holds no frame, so that there is nothing to play.
  case emptySource(URL?)
  /// A stream of buffers can be played once only; give the buffers themselves to repeat them.
  case streamCannotRepeat
  /// The device could not be opened or is gone; the sentence names it and says what to do.
  case device(AudioDevice.ID?, reason: String)
  /// The system refused a thread or a descriptor, usually because of a limit.
  case system(reason: String)
  /// So many sounds already play on this device; wait until one ends.
  case tooManyVoices(limit: Int)
}

extension AudioPlayerError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .source(_, let reason), .device(_, let reason), .system(let reason): reason
    case .emptySource(let url):
      "\(url.map { "\"\($0.path)\"" } ?? "the source") holds no audio: there is nothing to play"
    case .streamCannotRepeat:
      "a stream of buffers can be played once only; give the buffers themselves to repeat them"
    case .tooManyVoices(let limit):
      "\(limit) sounds already play on this device; wait until one of them ends"
    }
  }
}

/// Why a task could not recognize speech; errors of the file, the stream of buffers, or the
/// microphone are thrown unchanged.
public enum SpeechClientError: Error, Hashable {
  /// No engine has a usable model; the reason names the remedy.
  case unavailable(reason: String)
  /// The grammar cannot be used; the reason names the line or the word, or the file that cannot be
  /// read.
  case invalidGrammar(reason: String)
  /// The engine failed while it was working; a new task may succeed.
  case engineFailed(reason: String)
  /// The system has no thread or descriptor left for the task.
  case noResources(reason: String)
  /// The engine cannot do what the request asks for; the reason names the word, the option, or the
  /// feature.
  case invalidRequest(reason: String)
}

extension SpeechClientError: CustomStringConvertible {
  /// A short text for people.
  public var description: String {
    switch self {
    case .unavailable(let reason): "speech cannot be recognized: \(reason)"
    case .invalidGrammar(let reason): "the grammar cannot be used: \(reason)"
    case .engineFailed(let reason): "speech recognition failed: \(reason)"
    case .noResources(let reason): "speech recognition cannot start: \(reason)"
    case .invalidRequest(let reason): "the request cannot be met: \(reason)"
    }
  }
}

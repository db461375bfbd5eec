import SpeechClient

/// An error of a task; of those that are no `SpeechClientError` only the sentence is kept.
struct RecordedFailure: Codable {
  enum Kind: String, RecordedName {
    case unavailable, engineFailed, noResources, invalidGrammar, invalidRequest, other
  }

  var kind: Kind
  var reason: String

  init(_ error: any Error) {
    switch error {
    case SpeechClientError.unavailable(let reason): (kind, self.reason) = (.unavailable, reason)
    case SpeechClientError.engineFailed(let reason): (kind, self.reason) = (.engineFailed, reason)
    case SpeechClientError.noResources(let reason): (kind, self.reason) = (.noResources, reason)
    case SpeechClientError.invalidGrammar(let reason):
      (kind, self.reason) = (.invalidGrammar, reason)
    case SpeechClientError.invalidRequest(let reason):
      (kind, self.reason) = (.invalidRequest, reason)
    default: (kind, reason) = (.other, "\(error)")
    }
  }

  var value: any Error {
    switch kind {
    case .unavailable: SpeechClientError.unavailable(reason: reason)
    case .engineFailed: SpeechClientError.engineFailed(reason: reason)
    case .noResources: SpeechClientError.noResources(reason: reason)
    case .invalidGrammar: SpeechClientError.invalidGrammar(reason: reason)
    case .invalidRequest: SpeechClientError.invalidRequest(reason: reason)
    case .other: ReplayError.recorded(reason)
    }
  }
}

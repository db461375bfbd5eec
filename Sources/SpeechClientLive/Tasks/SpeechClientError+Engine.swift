import AudioThreads
import SpeechClient
import SpeechEngine

extension SpeechClientError {
  /// The client's error for an error of an engine or the system; any other error unchanged.
  static func mapped(_ error: any Error) -> any Error {
    switch error {
    case let error as SpeechEngineError: SpeechClientError(error)
    case is ThreadError, is WakeUpError: SpeechClientError.noResources(reason: "\(error)")
    default: error
    }
  }

  /// The client's error for any error of an engine.
  init(of error: any Error) {
    self =
      Self.mapped(error) as? SpeechClientError ?? .engineFailed(reason: "\(error)")
  }

  private init(_ error: SpeechEngineError) {
    switch error {
    case .failed(let reason): self = .engineFailed(reason: reason)
    case .interrupted: self = .engineFailed(reason: "\(error)")
    case .grammarInvalid: self = .invalidGrammar(reason: "\(error)")
    case .modelMissing, .modelUnreadable, .modelDamaged, .languageMissing, .libraryMissing,
      .unreachable, .modelNotInstalled:
      self = .unavailable(reason: "\(error)")
    case .wordUnknown, .optionInvalid, .unsupported:
      self = .invalidRequest(reason: "\(error)")
    }
  }
}

extension AuthorizationStatus {
  /// The status that follows from an engine's error.
  init(_ error: any Error) {
    if case SpeechEngineError.modelUnreadable = error {
      self = .restricted(reason: "\(error)")
    } else {
      self = .denied(reason: "\(error)")
    }
  }
}

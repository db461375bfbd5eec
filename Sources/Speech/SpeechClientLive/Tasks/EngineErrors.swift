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

/// Counts an engine's consecutive failures; each one costs an utterance.
struct FailureCount {
  /// This many in a row end the stream of an engine in a separate process.
  static let remoteLimit = 3

  /// The last failure, if no utterance has been recognized since.
  private(set) var last: (any Error)?
  private let limit: Int
  private var count = 0

  /// - Parameter limit: the number of consecutive failures that ends the stream; with 0 or 1, every
  ///   failure does.
  init(limit: Int) {
    self.limit = limit
  }

  /// Counts a failure; returns whether the stream continues, which a permanent failure ends.
  mutating func canContinue(after error: any Error) -> Bool {
    count += 1
    guard count < limit else { return false }
    switch error {
    case SpeechEngineError.failed, SpeechEngineError.unreachable:
      last = error
      return true
    default: return false
    }
  }

  /// An utterance has been recognized.
  mutating func reset() {
    (last, count) = (nil, 0)
  }
}

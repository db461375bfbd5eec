public import AudioCore

/// Whether an engine can be used on this machine.
public enum SpeechEngineAvailability: Equatable, Sendable {
  /// The engine can be used, with this model.
  case ready(SpeechModel)
  /// The engine cannot be used; the error says why, and what would help.
  case unavailable(SpeechEngineError)

  /// The model, if the engine is ready.
  public var model: SpeechModel? {
    if case .ready(let model) = self { model } else { nil }
  }
}

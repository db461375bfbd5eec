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

/// A model that an engine has found.
public struct SpeechModel: Hashable, Sendable {
  /// The language it knows, as a BCP 47 tag: `en-US`.
  public var language: String
  /// Where it is: a path, or an address.
  public var location: String

  /// A model from its description.
  public init(language: String, location: String) {
    self.language = language
    self.location = location
  }
}

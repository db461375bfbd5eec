public import AudioCore

/// An engine that a program can choose, with its models or what it lacks.
public struct SpeechEngineDescription: Hashable, Sendable {
  /// The engine's name: `pocketsphinx`.
  public var name: String

  /// Its models, the default first; none if it cannot be used.
  public var models: [SpeechModel]

  /// Why it cannot be used, and the package or path that would help; nil if it can be used.
  public var obstacle: String?

  /// Whether requests use it now.
  public var isInUse: Bool

  /// Its capabilities besides dictation, even if it cannot be used now.
  public var capabilities: Set<SpeechEngineCapability>

  /// An engine from its description.
  public init(
    name: String, models: [SpeechModel], obstacle: String? = nil, isInUse: Bool = false,
    capabilities: Set<SpeechEngineCapability> = []
  ) {
    self.name = name
    self.models = models
    self.obstacle = obstacle
    self.isInUse = isInUse
    self.capabilities = capabilities
  }
}

extension SpeechEngineDescription {
  /// The engine of previews.
  static let preview = SpeechEngineDescription(
    name: "preview", models: [SpeechModel(language: "en-US", location: "preview")], isInUse: true)
}

/// Whether speech can be recognized, in the words of Apple's Speech framework.
public enum AuthorizationStatus: Hashable, Sendable {
  /// Unknown until `requestAuthorization` has been called.
  case notDetermined
  /// There is no usable engine or model; the reason names the remedy.
  case denied(reason: String)
  /// There is a model, but this user may not read it.
  case restricted(reason: String)
  /// An engine and its model can be used.
  case authorized
}

extension AuthorizationStatus: CustomStringConvertible {
  /// A short text for people.
  public var description: String {
    switch self {
    case .notDetermined: "not determined"
    case .denied(let reason): "denied: \(reason)"
    case .restricted(let reason): "restricted: \(reason)"
    case .authorized: "authorized"
    }
  }
}

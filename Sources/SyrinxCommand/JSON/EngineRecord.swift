import SpeechClient

/// An engine as `syrinx engines --json` tells it.
struct EngineRecord: Encodable {
  struct Model: Encodable {
    let language: String
    let location: String
  }

  let engine: String
  let isDefault: Bool
  let ready: Bool
  let models: [Model]
  let missing: String?

  enum CodingKeys: String, CodingKey {
    case engine, ready, models, missing
    case isDefault = "default"
  }

  init(_ engine: SpeechEngineDescription) {
    self.engine = engine.name
    isDefault = engine.isInUse
    ready = engine.obstacle == nil
    models = engine.models.map { Model(language: $0.language, location: $0.location) }
    missing = engine.obstacle
  }

  /// What the help says about it.
  static let schema = """
    With --json each engine is an object on a line of its own: "engine" (what --engine takes), \
    "default", "ready", "models", each with "language" and "location", and, where it is not ready, \
    "missing".
    """
}

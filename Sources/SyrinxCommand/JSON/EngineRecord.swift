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
  let capabilities: [String]

  enum CodingKeys: String, CodingKey {
    case engine, ready, models, missing, capabilities
    case isDefault = "default"
  }

  init(_ engine: SpeechEngineDescription) {
    self.engine = engine.name
    isDefault = engine.isInUse
    ready = engine.obstacle == nil
    models = engine.models.map { Model(language: $0.language, location: $0.location) }
    missing = engine.obstacle
    capabilities = engine.inOrder.map(\.rawValue)
  }

  /// What the help says about it.
  static let schema = """
    With --json each engine is an object on a line of its own: "engine" (what --engine takes), \
    "default", "ready", "models", each with "language" and "location", "capabilities", those of \
    \(names) that it has, and, where it is not ready, "missing".
    """

  private static var names: String {
    SpeechEngineDescription.Capability.allCases.map { "\"\($0.rawValue)\"" }
      .joined(separator: ", ")
  }
}

extension SpeechEngineDescription {
  /// What it can do, in the same order for every engine.
  var inOrder: [Capability] { Capability.allCases.filter(capabilities.contains) }
}

import FilePaths
import SpeechClient
import SpeechEngine

/// The engines as lines for people: `*` marks what is taken where no engine is named.
struct EngineTable {
  let engines: [SpeechEngineDescription]

  /// A line for each model or for what is missing, and one for what an engine can do.
  var lines: [String] {
    engines.flatMap { engine in
      let mark = engine.isInUse ? "*" : " "
      let name = "\(mark) \(padded(engine.name, in: engines.map(\.name)))"
      return models(of: engine, name) + abilities(of: engine, name)
    }
  }

  private func models(of engine: SpeechEngineDescription, _ name: String) -> [String] {
    if let obstacle = engine.obstacle { return ["\(name)  not ready: \(obstacle)"] }
    let languages = engine.models.map(\.language)
    return engine.models.map { model in
      "\(name)  \(padded(model.language, in: languages))  \(model.location)".printable
    }
  }

  private func abilities(of engine: SpeechEngineDescription, _ name: String) -> [String] {
    let abilities = engine.inOrder.map(\.text)
    return abilities.isEmpty ? [] : ["\(name)  can: \(abilities.joined(separator: ", "))"]
  }

  private func padded(_ text: String, in column: [String]) -> String {
    let width = column.map(\.count).max() ?? 0
    return text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension SpeechEngineDescription.Capability {
  /// Its name for people.
  fileprivate var text: String {
    switch self {
    case .partialResults: "partial results"
    case .grammar: "grammar"
    case .keyPhrases: "key phrases"
    case .contextualPhrases: "contextual phrases"
    case .alternatives: "alternatives"
    case .confidence: "confidence"
    case .wordTimes: "word times"
    case .engineOptions: "engine options"
    }
  }
}

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

/// The detector of speech that can be installed, as `syrinx engines` tells it.
struct DetectorRecord: Encodable {
  let detector = EngineComponent.silero.name
  let ready: Bool
  let location: String?
  let missing: String?

  enum CodingKeys: String, CodingKey {
    case detector, ready, location, missing
  }

  /// - Parameter inUse: the detector that commands find speech with.
  init(inUse: SpeechActivityDetector) {
    guard inUse.name == detector else {
      let remedy = "run `syrinx engines install \(detector)`"
      missing = "not installed: \(remedy); the \(inUse.name) detector is used until then"
      (ready, location) = (false, nil)
      return
    }
    switch inUse.availability() {
    case .ready(let model): (ready, location, missing) = (true, model.location, nil)
    case .unavailable(let error): (ready, location, missing) = (false, nil, "\(error)")
    }
  }

  /// A line for people.
  var line: String {
    "  \(detector) (finds speech)  \(location ?? "not ready: \(missing ?? "")")".printable
  }

  /// What the help says about it.
  static let schema = """
    The detector of speech that can be installed follows them: "detector", "ready", and "location" \
    or "missing".
    """
}

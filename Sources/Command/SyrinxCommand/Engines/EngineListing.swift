import AudioCore
import FilePaths
import SpeechClient
import SpeechEngine

/// The engines as text; `*` marks the default engine.
struct EngineTable {
  let engines: [SpeechEngineDescription]

  /// A line for each model or for what is missing, and one for the capabilities.
  var lines: [String] {
    engines.flatMap { engine in
      let mark = engine.isInUse ? "*" : " "
      let name = "\(mark) \(engine.name.padded(to: engines.map(\.name.count).max() ?? 0))"
      return models(of: engine, name) + capabilities(of: engine, name)
    }
  }

  private func models(of engine: SpeechEngineDescription, _ name: String) -> [String] {
    if let missing = engine.missing { return ["\(name)  not ready: \(missing)".printableLine] }
    let width = engine.models.map(\.language.count).max() ?? 0
    return engine.models.map { model in
      "\(name)  \(model.language.padded(to: width))  \(model.location)".printableLine
    }
  }

  private func capabilities(of engine: SpeechEngineDescription, _ name: String) -> [String] {
    let capabilities = engine.orderedCapabilities.map(\.text)
    return capabilities.isEmpty ? [] : ["\(name)  can: \(capabilities.joined(separator: ", "))"]
  }
}

extension SpeechEngineDescription {
  /// Why the engine is not ready, and how this command can help; nil if it is ready.
  fileprivate var missing: String? {
    obstacle.map {
      [$0, EngineName(rawValue: name)?.remedy].compactMap(\.self).joined(separator: "; ")
    }
  }

  /// The capabilities, in the same order for every engine.
  fileprivate var orderedCapabilities: [SpeechEngineCapability] {
    SpeechEngineCapability.allCases.filter(capabilities.contains)
  }
}

extension SpeechEngineCapability {
  /// The human-readable name.
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

/// An engine in the output of `syrinx engines --json`.
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
    missing = engine.missing
    capabilities = engine.orderedCapabilities.map(\.rawValue)
  }

  /// The documentation of the JSON in the help.
  static let schema = """
    With --json, each engine is an object on its own line: "engine" (the value for --engine), \
    "default", "ready", "models", each with "language" and "location", "capabilities" out of \
    \(names), and, if it is not ready, "missing".
    """

  private static var names: String {
    SpeechEngineCapability.allCases.map { "\"\($0.rawValue)\"" }
      .joined(separator: ", ")
  }
}

/// The installable voice activity detector in the output of `syrinx engines`.
struct DetectorRecord: Encodable {
  let detector = EngineComponent.silero.name
  let ready: Bool
  let location: String?
  let missing: String?

  /// - Parameter inUse: the detector that commands use.
  init(inUse: SpeechActivityDetector) {
    let remedy = "`syrinx engines install \(detector)` installs library and model"
    guard inUse.name == detector else {
      missing = "not installed: \(remedy); the \(inUse.name) detector is used until then"
      (ready, location) = (false, nil)
      return
    }
    switch inUse.availability() {
    case .ready(let model): (ready, location, missing) = (true, model.location, nil)
    case .unavailable(let error):
      (ready, location, missing) = (false, nil, "\(error); \(remedy)")
    }
  }

  /// The line for people.
  var line: String {
    "  \(detector) (finds speech)  \(location ?? "not ready: \(missing ?? "")")".printableLine
  }

  /// The documentation of the JSON in the help.
  static let schema = """
    An object for the installable voice activity detector follows: "detector", "ready", and \
    "location" or "missing".
    """
}

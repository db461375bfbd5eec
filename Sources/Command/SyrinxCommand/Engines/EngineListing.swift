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

/// An engine, or the installable voice activity detector, in the output of `syrinx engines --json`.
extension JSONRecord {
  /// The documentation of the JSON in the help.
  static let engineSchema = """
    With --json, each engine is an object on its own line: "engine" (the value for --engine), \
    "default", "ready", "models", each with "language" and "location", "capabilities" out of \
    \(capabilityNames), and, if it is not ready, "missing".
    """

  private static var capabilityNames: String {
    SpeechEngineCapability.allCases.map { "\"\($0.rawValue)\"" }
      .joined(separator: ", ")
  }

  init(_ engine: SpeechEngineDescription) {
    self = [
      "engine": engine.name, "default": engine.isInUse, "ready": engine.obstacle == nil,
      "models": engine.models.map { model -> JSONRecord in
        ["language": model.language, "location": model.location]
      },
      "missing": engine.missing, "capabilities": engine.orderedCapabilities.map(\.rawValue),
    ]
  }

  /// The documentation of the JSON in the help.
  static let detectorSchema = """
    An object for the installable voice activity detector follows: "detector", "ready", and \
    "location" or "missing".
    """

  init(_ detector: InstallableDetector) {
    self = [
      "detector": InstallableDetector.name, "ready": detector.location != nil,
      "location": detector.location, "missing": detector.missing,
    ]
  }
}

/// The installable voice activity detector: where it is, or why it cannot be used.
struct InstallableDetector {
  static let name = EngineComponent.silero.name
  private(set) var location: String?
  private(set) var missing: String?

  /// - Parameter inUse: the detector that commands use.
  init(inUse: SpeechActivityDetector) {
    let remedy = "`syrinx engines install \(Self.name)` installs library and model"
    guard inUse.name == Self.name else {
      missing = "not installed: \(remedy); the \(inUse.name) detector is used until then"
      return
    }
    switch inUse.availability() {
    case .ready(let model): location = model.location
    case .unavailable(let error): missing = "\(error); \(remedy)"
    }
  }

  /// The line for people.
  var line: String {
    "  \(Self.name) (finds speech)  \(location ?? "not ready: \(missing ?? "")")".printableLine
  }
}

import FilePaths
import SpeechClient

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

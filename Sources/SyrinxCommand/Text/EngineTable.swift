import SpeechClient

/// The engines as lines for people: `*` marks what is taken where no engine is named.
struct EngineTable {
  let engines: [SpeechEngineDescription]

  /// A line for each model, and one for an engine that cannot be used.
  var lines: [String] {
    engines.flatMap { engine in
      let mark = engine.isInUse ? "*" : " "
      let name = "\(mark) \(padded(engine.name, in: engines.map(\.name)))"
      if let obstacle = engine.obstacle { return ["\(name)  not ready: \(obstacle)"] }
      let languages = engine.models.map(\.language)
      return engine.models.map { model in
        "\(name)  \(padded(model.language, in: languages))  \(model.location)"
      }
    }
  }

  private func padded(_ text: String, in column: [String]) -> String {
    let width = column.map(\.count).max() ?? 0
    return text + String(repeating: " ", count: max(0, width - text.count))
  }
}

import AudioCore
import AudioThreads
import ClientDependencies
import SpeechClient
import SpeechEngine
import Wyoming

/// A model that clients can choose by its name.
struct ServerModel {
  /// The name of the default model.
  static let defaultID = "syrinx"

  let id: String
  /// The name of the engine.
  let owner: String
  /// The languages as BCP 47 tags.
  let languages: [String]
  /// The engine; nil for `\.speechEngine`.
  let engine: SpeechEngine?

  /// The model as OpenAI's API describes it, with our own `languages`.
  var value: JSONValue {
    [
      "id": .string(id), "object": "model", "created": 0, "owned_by": .string(owner),
      "languages": .array(languages.map(JSONValue.string)),
    ]
  }

  /// Sets the language of a chosen model that has only one, in place of the server's default language.
  func apply(to request: inout SpeechRequest) {
    guard engine != nil, languages.count == 1, let language = languages.first,
      request.locale?.languageCode != language.languageCode
    else { return }
    request.locale = language
  }

  /// Returns the default model, then each engine that is ready, and its models by language, such as
  /// `vosk-de`, if it has several.
  ///
  /// The engines are asked on a separate thread, because they read files or wait for a server.
  static func installed() async -> [ServerModel] {
    @Dependency(\.speechEngine) var defaultEngine
    @Dependency(\.speechEngines) var namedEngines
    let (engine, named) = (defaultEngine, namedEngines)
    return await DedicatedThread.run(
      name: "syrinx-models", abandoned: [], failed: { _ in [] }
    ) {
      let chosen = engine.choose(SpeechSessionOptions()) ?? engine
      let first = ServerModel(
        id: Self.defaultID, owner: chosen.name, languages: engine.models().map(\.language).distinct,
        engine: nil)
      return [first] + named.flatMap { models(of: $0) }
    }
  }

  private static func models(of engine: SpeechEngine) -> [ServerModel] {
    // A remote engine would wait for its server.
    guard !engine.isRemote, engine.availability().model != nil else { return [] }
    let models = engine.models()
    let languages = models.map(\.language).distinct
    let whole = ServerModel(
      id: engine.name, owner: engine.name, languages: languages, engine: engine)
    // One model of many languages is not a model for each language.
    guard models.map(\.location).distinct.count > 1 else { return [whole] }
    return [whole]
      + languages.map {
        ServerModel(id: "\(engine.name)-\($0)", owner: engine.name, languages: [$0], engine: engine)
      }
  }

  /// Returns the name of the engine that the default model uses, and the reason that it cannot
  /// recognize; nil if it can.
  static func health() async -> (model: String, reason: String?) {
    @Dependency(\.speechEngine) var defaultEngine
    let engine = defaultEngine
    return await DedicatedThread.run(
      name: "syrinx-health", abandoned: (engine.name, "the request was canceled"),
      failed: { (engine.name, "\($0)") }
    ) {
      let chosen = engine.choose(SpeechSessionOptions()) ?? engine
      guard case .unavailable(let error) = chosen.availability() else { return (chosen.name, nil) }
      return (chosen.name, "\(error)")
    }
  }
}

extension [String] {
  /// The elements without repetitions, in order.
  fileprivate var distinct: [String] {
    reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

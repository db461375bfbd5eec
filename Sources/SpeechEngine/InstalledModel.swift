import Synchronization

/// A model on disk that an engine can load.
package protocol InstalledModel {
  /// Its language, as a BCP 47 tag; `und` if it is unknown.
  var language: String { get }

  /// Checks the files without loading them.
  ///
  /// - Throws: `.modelDamaged`, `.modelUnreadable`.
  func validate() throws(SpeechEngineError)
}

extension Sequence where Element: InstalledModel {
  /// The valid models, in order.
  ///
  /// - Throws: the first model's error if none is valid, `missing` if there are no models.
  package func valid(orThrow missing: SpeechEngineError) throws(SpeechEngineError) -> [Element] {
    var valid: [Element] = []
    var firstError: SpeechEngineError?
    for model in self {
      do throws(SpeechEngineError) {
        try model.validate()
        valid.append(model)
      } catch {
        firstError = firstError ?? error
      }
    }
    guard valid.isEmpty else { return valid }
    throw firstError ?? missing
  }

  /// The first model that understands a language; nil is any language.
  ///
  /// - Throws: `.languageMissing`.
  package func first(for language: String?) throws(SpeechEngineError) -> Element {
    for model in self where LanguageTag.understands(language, available: model.language) {
      return model
    }
    throw .languageMissing(
      wanted: language ?? "", available: map(\.language).joined(separator: ", "))
  }
}

/// Keeps the last used model, because loading one takes seconds.
package final class ModelCache<Model: Sendable>: Sendable {
  // Held while a model loads: threads that wait need the same model, and each has its own thread.
  private let kept = Mutex<Model?>(nil)

  package init() {}

  /// Returns the kept model if `isWanted` accepts it; otherwise loads a model on this thread and
  /// keeps it.
  package func model(
    where isWanted: (Model) -> Bool, load: () throws(SpeechEngineError) -> Model
  ) throws(SpeechEngineError) -> Model {
    try kept.withLock { kept throws(SpeechEngineError) in
      if let kept, isWanted(kept) { return kept }
      // Free an unused model before loading the next one.
      kept = nil
      let model = try load()
      kept = model
      return model
    }
  }
}

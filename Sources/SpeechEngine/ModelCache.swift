import Synchronization

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

import SpeechEngine
import Synchronization

/// Keeps the model that was used last, because loading one takes seconds.
final class VoskModelCache: Sendable {
  // Held while a model loads: whoever waits for it wants that very model, and has its own thread.
  private let kept = Mutex<VoskModel?>(nil)

  /// The model of these files, which is loaded here and now where it is not the one that is kept.
  func model(
    _ files: VoskModelFiles, with library: VoskLibrary
  ) throws(SpeechEngineError) -> VoskModel {
    let outcome = kept.withLock { kept -> Result<VoskModel, SpeechEngineError> in
      if let kept, kept.files == files, kept.library.path == library.path {
        return .success(kept)
      }
      // Free an unused model before reading the next one.
      kept = nil
      return Result { () throws(SpeechEngineError) in try VoskModel(files, with: library) }
        .map { model in
          kept = model
          return model
        }
    }
    return try outcome.get()
  }
}

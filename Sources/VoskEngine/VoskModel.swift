import AudioCore
import FilePaths
import SpeechEngine
import Synchronization

/// A loaded model, which recognizers share.
///
/// `@unchecked Sendable` is right because libvosk only reads a loaded model and counts its references
/// atomically.
final class VoskModel: @unchecked Sendable {
  let library: VoskLibrary
  let files: VoskModelFiles
  private let handle: OpaquePointer

  /// Loads a validated model.
  ///
  /// The corresponding C function is `vosk_model_new`.
  init(_ files: VoskModelFiles, with library: VoskLibrary) throws(SpeechEngineError) {
    guard let handle = FilePath(files.directory).withCString({ library.functions.newModel($0) })
    else {
      throw .modelDamaged(
        path: files.directory, reason: "libvosk cannot load it (see standard error)")
    }
    self.library = library
    self.files = files
    self.handle = handle
  }

  deinit {
    library.functions.freeModel(handle)
  }

  /// Whether the model has a word; true if the library cannot look it up.
  func knows(_ word: String) -> Bool {
    library.functions.findWord.map { $0(handle, word) >= 0 } ?? true
  }

  /// The corresponding C functions are `vosk_recognizer_new` and `vosk_recognizer_new_grm`.
  ///
  /// - Parameter phrases: the allowed phrases as JSON; nil for dictation.
  func makeRecognizer(phrases: String?) throws(SpeechEngineError) -> OpaquePointer {
    let rate = Float(SampleRate.speech.hertz)
    let functions = library.functions
    let recognizer =
      if let phrases {
        functions.newRecognizerForPhrases?(handle, rate, phrases)
      } else {
        functions.newRecognizer(handle, rate)
      }
    guard let recognizer else { throw .failed(reason: "libvosk made no recognizer") }
    return recognizer
  }
}

/// Keeps the last model, because loading one takes seconds.
final class VoskModelCache: Sendable {
  // Held while a model loads: threads that wait need the same model, and each has its own thread.
  private let kept = Mutex<VoskModel?>(nil)

  /// Returns the kept model, or loads one on this thread.
  func model(
    _ files: VoskModelFiles, with library: VoskLibrary
  ) throws(SpeechEngineError) -> VoskModel {
    try kept.withLock { kept throws(SpeechEngineError) in
      if let kept, kept.files == files, kept.library.path == library.path { return kept }
      // Free an unused model before loading the next one.
      kept = nil
      let model = try VoskModel(files, with: library)
      kept = model
      return model
    }
  }
}

import AudioCore
import FilePaths
import SpeechEngine

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

import AudioCore
import FilePaths
public import FoundationEssentials
public import SpeechEngine

extension SpeechEngine {
  /// Whisper for 99 languages, with libwhisper and a model that `syrinx engines install whisper`
  /// installs.
  ///
  /// - Parameters:
  ///   - modelDirectory: a model file of whisper.cpp (`ggml-large-v3-turbo-q5_0.bin`), or a folder
  ///     with one; nil for the path in `SYRINX_WHISPER_MODEL`, or else the installed model.
  ///   - library: the path of `libwhisper.so`, version 1.8; nil for the path in
  ///     `SYRINX_WHISPER_LIBRARY`, or else the installed library, or the system's.
  ///   - language: the language of streams that request none, as a BCP 47 tag; nil to find the
  ///     language of each utterance. An English model recognizes only English.
  ///
  /// With `SpokenLanguage.detected`, or without a language, the hypothesis has the language that the
  /// model found. The model translates into English if `translates` is set.
  ///
  /// Words have punctuation, upper and lower case, and a confidence: the geometric mean of the
  /// probabilities of a word's tokens. Their times are estimated. In scripts without spaces, a word
  /// is a few characters. Contextual phrases are the text that the utterance continues. Grammars,
  /// key phrases, alternatives, and engine options are not supported and throw an error.
  ///
  /// Each use searches for the library and the model. The structure of a model file is checked
  /// before libwhisper loads it. Sessions share a model, use one thread each, and the last model
  /// stays loaded.
  public static func whisper(
    modelDirectory: URL? = nil, library: URL? = nil, language: String? = nil
  ) -> SpeechEngine {
    let whisper = Whisper(
      chosenLibrary: library.map(FilePath.init),
      models: WhisperModelLocation(chosen: modelDirectory), language: language)
    var engine = SpeechEngine(
      name: "whisper",
      availability: { whisper.availability },
      models: { whisper.all },
      makeSession: { try whisper.makeSession($0) })
    engine.capabilities = [
      .partialResults, .contextualPhrases, .confidence, .languageDetection, .translation,
    ]
    return engine
  }
}

/// The implementation of `SpeechEngine.whisper`.
private struct Whisper: Sendable {
  /// The library's path; nil to search for a library.
  let chosenLibrary: FilePath?
  let models: WhisperModelLocation
  let language: String?
  private let cache = ModelCache<WhisperModel>()
  private let libraries = ModelCache<WhisperLibrary>()

  init(chosenLibrary: FilePath?, models: WhisperModelLocation, language: String?) {
    (self.chosenLibrary, self.models, self.language) = (chosenLibrary, models, language)
  }

  /// Whether the engine can be used; reading this loads the library, but no model.
  var availability: SpeechEngineAvailability {
    SpeechEngineAvailability { () throws(SpeechEngineError) in
      try WhisperLanguage.check(language)
      _ = try library()
      return SpeechModel(try models.model(for: language))
    }
  }

  /// The models for each of their languages.
  var all: [SpeechModel] {
    guard availability.model != nil, let files = try? models.models() else { return [] }
    return files.flatMap { file in
      let languages =
        file.language == LanguageTag.multiple
        ? WhisperLanguage.tags.dropLast() : [file.language]
      return languages.map { SpeechModel(language: $0, location: file.location) }
    }
  }

  func makeSession(_ options: SpeechSessionOptions) throws(SpeechEngineError) -> WhisperSession {
    let library = try library()
    let language = options.language ?? language
    let file = try models.model(for: language)
    let model = try cache.model(
      where: { $0.file == file && $0.library.path == library.path },
      load: { () throws(SpeechEngineError) in try WhisperModel(file, in: library) })
    return try WhisperSession(model: model, language: language, options: options)
  }

  /// Returns the library; only the first call loads it.
  private func library() throws(SpeechEngineError) -> WhisperLibrary {
    try libraries.model(
      where: { _ in true },
      load: { () throws(SpeechEngineError) in try WhisperLibrary.load(chosen: chosenLibrary) })
  }
}

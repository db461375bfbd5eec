import AudioCore
import FilePaths
public import FoundationEssentials
import Logging
import ONNXRuntime
import PocketSphinxEngine
public import SpeechEngine
import WhisperEngine

extension SpeechEngine {
  /// Moonshine, with ONNX Runtime and a model that `syrinx engines install moonshine` installs.
  ///
  /// - Parameters:
  ///   - modelDirectory: the folder of a model of any size (`encoder_model.ort`,
  ///     `decoder_model_merged.ort`, `tokenizer.bin`); nil for the folder in
  ///     `SYRINX_MOONSHINE_MODEL`, or else the first installed model for the language.
  ///   - library: the path of `libonnxruntime.so`, version 1.16 or later; nil for the path in
  ///     `SYRINX_ONNXRUNTIME_LIBRARY`, or else the installed library, or the system's.
  ///   - language: the language of streams that request none, as a BCP 47 tag; nil for any. A
  ///     model's language is the end of its folder's name; any other model is assumed to support
  ///     the requested language.
  ///
  /// Word times are measured with PocketSphinx's acoustic model if the request asks for them and
  /// that model is installed for the language. Otherwise they are estimated, and the hypothesis has
  /// `hasEstimatedTimes`.
  ///
  /// Words have punctuation, upper and lower case, and a confidence: the lowest probability of a
  /// word's tokens. Each use searches for the library and the model. Sessions share a model, and
  /// the last model stays loaded.
  ///
  /// With a grammar, words have the grammar's spelling, and an utterance that is not one of its
  /// sentences yields no words. A grammar cannot import other grammars, and a public rule may
  /// expand to at most 50,000 words. Contextual phrases get a bonus while the text is being
  /// decoded. Key phrases and engine options are not supported and throw an error.
  public static func moonshine(
    modelDirectory: URL? = nil, library: URL? = nil, language: String? = nil
  ) -> SpeechEngine {
    let moonshine = Moonshine(
      chosenLibrary: library.map(FilePath.init),
      models: MoonshineModelLocation(chosen: modelDirectory), language: language)
    var engine = SpeechEngine(
      name: "moonshine",
      availability: { moonshine.availability },
      models: { moonshine.all },
      makeSession: { try moonshine.makeSession($0) })
    engine.returnMemory = { moonshine.returnMemory() }
    engine.capabilities = [
      .partialResults, .grammar, .contextualPhrases, .alternatives, .confidence, .wordTimes,
    ]
    return engine
  }

  /// The best engine on this machine for the language of each request: Moonshine if it is installed
  /// for the language, otherwise Whisper, otherwise PocketSphinx.
  ///
  /// PocketSphinx recognizes key phrases. Whisper detects languages and translates. Without
  /// Whisper, such a request ends with Whisper's error. A request for a language that no installed
  /// engine recognizes ends with the error of Moonshine, or of Whisper if Moonshine is not
  /// installed. A damaged Moonshine model is an error; no other engine replaces it.
  public static var best: SpeechEngine { best() }

  /// Returns the best engine, optionally with a model of your own.
  ///
  /// - Parameters:
  ///   - modelDirectory: the folder of a Moonshine or PocketSphinx model, or a model file of
  ///     whisper.cpp; nil for the installed models.
  ///   - language: as for `moonshine`.
  public static func best(
    modelDirectory: URL? = nil, language: String? = nil
  ) -> SpeechEngine {
    best(
      modelDirectory: modelDirectory, language: language,
      whisper: whisper(modelDirectory: modelDirectory, language: language))
  }

  /// Returns the best engine, with an engine for many languages.
  static func best(
    modelDirectory: URL?, language: String?, whisper: SpeechEngine
  ) -> SpeechEngine {
    let location = MoonshineModelLocation(chosen: modelDirectory)
    let isInstalled =
      if case .modelNotInstalled = location.problem(with: nil) { false } else { true }
    let moonshine =
      isInstalled ? moonshine(modelDirectory: modelDirectory, language: language) : nil
    let pocketSphinx = pocketSphinx(modelDirectory: isInstalled ? nil : modelDirectory)
    let chosen: @Sendable (SpeechSessionOptions) -> SpeechEngine = { options in
      if !options.keyPhrases.isEmpty { return pocketSphinx }
      let wanted = options.language ?? language
      if options.translates || wanted == SpokenLanguage.detected { return whisper }
      if let moonshine {
        guard case .languageMissing = location.problem(with: wanted) else { return moonshine }
      }
      let able = [whisper, pocketSphinx].first {
        $0.hasModel(for: wanted) && $0.capabilities.isSuperset(of: options.needed)
      }
      // PocketSphinx has an English model, so its error names no engine for another language.
      let isEnglish = wanted.map { LanguageTag.understands($0, available: "en") } ?? true
      return able ?? moonshine ?? (isEnglish ? pocketSphinx : whisper)
    }
    let engines = [moonshine, whisper, pocketSphinx].compactMap(\.self)
    // The choice would load libwhisper, which `choose` does when it is needed.
    var best = moonshine ?? pocketSphinx
    best.capabilities.formUnion(pocketSphinx.capabilities.intersection([.keyPhrases]))
    best.capabilities.formUnion(
      whisper.capabilities.intersection([.languageDetection, .translation]))
    best.availability = { chosen(SpeechSessionOptions()).availability() }
    best.models = { engines.flatMap { $0.models() } }
    best.makeSession = { try chosen($0).makeSession($0) }
    best.choose = chosen
    best.returnMemory = { for engine in engines { engine.returnMemory() } }
    return best
  }

  /// Whether one of the engine's models supports the language; nil accepts any model.
  private func hasModel(for language: String?) -> Bool {
    models().contains { LanguageTag.understands(language, available: $0.language) }
  }
}

/// The implementation of `SpeechEngine.moonshine`.
struct Moonshine: Sendable {
  /// The library's path; nil to search for a library.
  let chosenLibrary: FilePath?
  let models: MoonshineModelLocation
  let language: String?
  let cache = ModelCache<MoonshineModel>()
  private let libraries = ModelCache<ONNXLibrary>()
  let alignment = WordAlignment()

  init(chosenLibrary: FilePath?, models: MoonshineModelLocation, language: String?) {
    (self.chosenLibrary, self.models, self.language) = (chosenLibrary, models, language)
  }

  /// Whether the engine can be used; reading this loads the library, but no model.
  var availability: SpeechEngineAvailability {
    SpeechEngineAvailability { () throws(SpeechEngineError) in
      _ = try library()
      return SpeechModel(try models.model(for: language))
    }
  }

  var all: [SpeechModel] {
    guard let first = availability.model, let files = try? models.models() else { return [] }
    return [first] + files.map { SpeechModel($0) }.filter { $0 != first }
  }

  func makeSession(_ options: SpeechSessionOptions) throws(SpeechEngineError) -> MoonshineSession {
    let library = try library()
    let language = options.language ?? language
    let files = try models.model(for: language)
    let model = try cache.model(
      where: { $0.files == files && $0.library.path == library.path },
      load: { () throws(SpeechEngineError) in try MoonshineModel(files, in: library) })
    return try MoonshineSession(
      model: model, language: language, alignment: alignment, options: options)
  }

  /// Returns the library; only the first call loads it.
  ///
  /// - Throws: `.libraryMissing`, with the reason if a library was found but cannot be used.
  private func library() throws(SpeechEngineError) -> ONNXLibrary {
    try libraries.model(
      where: { _ in true },
      load: { () throws(SpeechEngineError) in
        try SpeechEngineError.during { () throws(ONNXError) in
          try ONNXLibrary.load(chosen: chosenLibrary)
        }
      })
  }
}

extension Moonshine {
  private static let log = Logger(label: "syrinx.moonshine")

  /// Frees the memory of earlier utterances; the model stays loaded.
  func returnMemory() {
    do throws(SpeechEngineError) {
      try cache.model?.returnMemory()
    } catch {
      // The failure is harmless, because later utterances use the memory.
      Self.log.debug("The model keeps its memory: \(error)")
    }
  }
}

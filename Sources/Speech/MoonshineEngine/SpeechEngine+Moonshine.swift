import AudioCore
import FilePaths
public import FoundationEssentials
import Logging
import ONNXRuntime
import PocketSphinxEngine
public import SpeechEngine

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
  /// Word times are measured with PocketSphinx's acoustic model if the request asks for it and the
  /// model of the language is installed. Otherwise they are estimated, and the hypothesis reports
  /// that.
  ///
  /// Words have punctuation, upper and lower case, and a confidence: the lowest probability of
  /// their parts. Library and model are looked for at each use. Sessions share a model, and the
  /// last one is kept.
  ///
  /// With a grammar the words are spelled as the grammar spells them, and an utterance that is none
  /// of its sentences yields no words. A grammar cannot import others, and a public rule expands to
  /// at most 50,000 words. Contextual phrases are preferred as they unfold. Key phrases are
  /// `SpeechEngineError.unsupported`, and so are engine options.
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

  /// The best engine on this machine: Moonshine if it is installed, else PocketSphinx.
  ///
  /// PocketSphinx always recognizes key phrases, and any language that its model supports and
  /// Moonshine's models do not. A model of Moonshine that is damaged is an error, not a reason to
  /// take the other one.
  public static var best: SpeechEngine { best() }

  /// The best engine with a model.
  ///
  /// - Parameters:
  ///   - modelDirectory: the folder of a model of either; nil for the installed ones.
  ///   - language: as for `moonshine`.
  public static func best(
    modelDirectory: URL? = nil, language: String? = nil
  ) -> SpeechEngine {
    let location = MoonshineModelLocation(chosen: modelDirectory)
    if case .modelNotInstalled = location.problem(with: nil) {
      return pocketSphinx(modelDirectory: modelDirectory)
    }
    let (moonshine, pocketSphinx) = (
      moonshine(modelDirectory: modelDirectory, language: language),
      pocketSphinx()
    )
    let chosen: @Sendable (SpeechSessionOptions) -> SpeechEngine = { options in
      if !options.keyPhrases.isEmpty { return pocketSphinx }
      let wanted = options.language ?? language
      guard case .languageMissing = location.problem(with: wanted) else { return moonshine }
      return pocketSphinx.models().contains {
        LanguageTag.understands(wanted, available: $0.language)
      } ? pocketSphinx : moonshine
    }
    var best = moonshine
    best.capabilities.formUnion(pocketSphinx.capabilities.intersection([.keyPhrases]))
    best.availability = { chosen(SpeechSessionOptions()).availability() }
    best.models = { moonshine.models() + pocketSphinx.models() }
    best.makeSession = { try chosen($0).makeSession($0) }
    best.choose = chosen
    best.returnMemory = {
      moonshine.returnMemory()
      pocketSphinx.returnMemory()
    }
    return best
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

  /// The library is loaded to check it; a model is not.
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

  /// Returns the library, which is loaded once.
  ///
  /// - Throws: `.libraryMissing`; for a library that was found, with the reason that it cannot be
  ///   used.
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

  /// Returns the memory of earlier utterances; the model stays loaded.
  func returnMemory() {
    do throws(SpeechEngineError) {
      try cache.model?.returnMemory()
    } catch {
      // The memory then serves the next utterances.
      Self.log.debug("The model keeps its memory: \(error)")
    }
  }
}

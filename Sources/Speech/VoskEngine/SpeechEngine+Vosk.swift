import AudioCore
public import FoundationEssentials
public import SpeechEngine

extension SpeechEngine {
  /// Vosk with an unpacked model.
  ///
  /// Its library is loaded at run time.
  ///
  /// - Parameters:
  ///   - library: the path of `libvosk.so`; nil for the path in `SYRINX_VOSK_LIBRARY`, or else the
  ///     first library in `LD_LIBRARY_PATH`, `/usr/local/lib`, `/usr/lib`, the folders where pip
  ///     installs the package `vosk`, and the loader's folders. Version 0.3.45 is tested; functions
  ///     of later versions are used if available.
  ///   - modelDirectory: the folder of a model; nil for the folder in `SYRINX_VOSK_MODEL`, or else
  ///     the first model for the language, by name, in `VOSK_MODEL_PATH`, `~/.cache/vosk`,
  ///     `~/.local/share/vosk`, `/usr/local/share/vosk`, and `/usr/share/vosk`.
  ///   - language: the language of requests without one, as a BCP 47 tag; nil for any. A model's
  ///     language is part of its folder's name; if the name contains no language, the model accepts
  ///     every language.
  ///
  /// Each use searches for the library and the model. The beginning of each file of a model is
  /// validated before libvosk loads it. Sessions share a model, and the last model stays loaded.
  ///
  /// A grammar may have at most 10,000 sentences, and needs a model whose graph is composed at run
  /// time, such as a small model. An utterance that is not a sentence of the grammar has no words.
  /// Key phrases need such a model, too. Their threshold is the minimum confidence of each word.
  /// With alternatives, words have no confidence. If the library returns no times, the words are
  /// spread evenly. Contextual phrases have no effect, and there are no engine options.
  public static func vosk(
    library: URL? = nil, modelDirectory: URL? = nil, language: String? = nil
  ) -> SpeechEngine {
    let engine = Vosk(
      library: VoskLibraryLocation(chosen: library),
      models: VoskModelLocation(chosen: modelDirectory),
      language: language)
    var made = SpeechEngine(
      name: "vosk",
      availability: { engine.availability },
      models: { engine.all },
      makeSession: { try engine.makeSession($0) })
    made.capabilities = [
      .partialResults, .grammar, .keyPhrases, .alternatives, .confidence, .wordTimes,
    ]
    return made
  }
}

/// The implementation of `SpeechEngine.vosk`.
struct Vosk: Sendable {
  let library: VoskLibraryLocation
  let models: VoskModelLocation
  var language: String?
  let cache = ModelCache<VoskModel>()

  /// Whether the engine can be used; reading this loads the library, but not the model.
  var availability: SpeechEngineAvailability {
    SpeechEngineAvailability { () throws(SpeechEngineError) in
      _ = try library.load()
      return SpeechModel(try models.model(for: language))
    }
  }

  var all: [SpeechModel] {
    guard let first = availability.model, let files = try? models.models() else { return [] }
    return [first] + files.map { SpeechModel($0) }.filter { $0 != first }
  }

  func makeSession(
    _ options: SpeechSessionOptions
  ) throws(SpeechEngineError) -> VoskSession {
    let library = try library.load()
    let files = try models.model(for: options.language ?? language)
    let model = try cache.model(
      where: { $0.files == files && $0.library.path == library.path },
      load: { () throws(SpeechEngineError) in try VoskModel(files, with: library) })
    return try VoskSession(model: model, options: options)
  }
}

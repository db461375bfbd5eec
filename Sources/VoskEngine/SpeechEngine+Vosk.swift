public import FoundationEssentials
public import SpeechEngine

extension SpeechEngine {
  /// Vosk, whose library is loaded at run time, with a model that its user has unpacked.
  ///
  /// - Parameters:
  ///   - library: the path of `libvosk.so`; nil for the one that `SYRINX_VOSK_LIBRARY` names, or
  ///     else the first in the usual places: `LD_LIBRARY_PATH`, `/usr/local/lib`, `/usr/lib`, where
  ///     pip installs the package `vosk`, and the loader's folders. Version 0.3.45 is known to do;
  ///     what later ones add is used where it is there.
  ///   - modelDirectory: the folder of a model; nil for the one that `SYRINX_VOSK_MODEL` names, or
  ///     else the first, by its name, in `VOSK_MODEL_PATH`, `~/.cache/vosk`, `~/.local/share/vosk`,
  ///     `/usr/local/share/vosk` and `/usr/share/vosk` that understands the language.
  ///   - language: the language of streams that ask for none, as a BCP 47 tag; nil for any. A
  ///     model's own is told by its folder's name alone; one of another name is taken at its
  ///     user's word.
  ///
  /// Library and model are looked for at each use, and a model is checked, as far as the beginnings
  /// of its files tell, before libvosk may see it. Sessions share a model, and the last
  /// one is kept.
  ///
  /// A grammar has to be one whose sentences can be told one by one, 10 000 at most, and the model
  /// one with a graph that is composed at run time, as small ones are; an utterance that is none of
  /// the sentences yields no words. Key phrases need such a model as well; a threshold is the least
  /// confidence of each word. With alternatives no word has a confidence; the readings of a library
  /// that tells no times have their words spread evenly. Contextual phrases change nothing, and
  /// engine options there are none.
  public static func vosk(
    library: URL? = nil, modelDirectory: URL? = nil, language: String? = nil
  ) -> SpeechEngine {
    let engine = Vosk(
      library: LibraryLocation(chosen: library), models: VoskModelLocation(chosen: modelDirectory),
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

/// What `SpeechEngine.vosk` does.
struct Vosk: Sendable {
  let library: LibraryLocation
  let models: VoskModelLocation
  var language: String?
  let cache = VoskModelCache()

  /// The library is loaded to see whether it can be; a model is not.
  var availability: SpeechEngineAvailability {
    do throws(SpeechEngineError) {
      _ = try library.load()
      return .ready(SpeechModel(try models.model(for: language)))
    } catch {
      return .unavailable(error)
    }
  }

  var all: [SpeechModel] {
    guard case .ready(let first) = availability, let files = try? models.models() else { return [] }
    return [first] + files.map(SpeechModel.init).filter { $0 != first }
  }

  func makeSession(
    _ options: SpeechSessionOptions
  ) throws(SpeechEngineError) -> VoskSession {
    let library = try library.load()
    let files = try models.model(for: options.language ?? language)
    return try VoskSession(model: try cache.model(files, with: library), options: options)
  }
}

extension SpeechModel {
  fileprivate init(_ files: VoskModelFiles) {
    self.init(language: files.language, location: files.directory)
  }
}

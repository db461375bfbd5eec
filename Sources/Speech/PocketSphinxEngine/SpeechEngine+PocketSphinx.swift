import AudioCore
public import ClientDependencies
public import FoundationEssentials
public import SpeechEngine

extension SpeechEngine: DependencyKey {
  /// PocketSphinx with the model that Debian's `pocketsphinx-en-us` installs, or the one that the
  /// environment variable `SYRINX_POCKETSPHINX_MODEL` names.
  public static let liveValue = pocketSphinx()

  /// PocketSphinx with the model in a directory, or without a directory the same as `liveValue`.
  ///
  /// The names of the model's directory and files show its language (`fr-fr`,
  /// `cmudict-en-us.dict`). Other names give `und`, which accepts every language.
  ///
  /// The engine supports:
  /// - Dictation, with a confidence for each word unless the option `bestpath` is `no`.
  /// - Grammars without imports. A public rule expands to 50,000 words at most.
  /// - Key phrases. Thresholds are about 1e-5 for short phrases and 1e-30 for long ones. Positions
  ///   are accurate to about 0.15 s. A phrase that is the beginning of another hides the longer
  ///   one.
  /// - Alternatives, but not with key phrases.
  /// - Contextual phrases, which choose among the n-best list.
  /// - PocketSphinx's command-line options for speed and accuracy: `lw`, `wip`, `pip`, `beam`,
  ///   `pbeam`, `wbeam`, `maxhmmpf`, `maxwpf`, `ds`, `topn`, `fwdflat`, and `bestpath`.
  ///
  /// Each use looks for the model. Its files are checked once, and again after one changes: that
  /// they are there, begin as they should, and have the sizes that their headers announce. A model
  /// with other damage may end the process, so use one from a package.
  ///
  /// Loaded decoders, of about 100 MB each, are kept for later sessions: as many as were in use at
  /// once, and at most one per processor. They load only the words of the language model, which are
  /// all that dictation can find. For a grammar or key phrases with other words, a decoder loads
  /// the whole dictionary, which takes longer; it can also take dictation.
  public static func pocketSphinx(modelDirectory: URL? = nil) -> SpeechEngine {
    pocketSphinx(DecoderPool(location: ModelLocation(chosen: modelDirectory)))
  }

  static func pocketSphinx(_ decoders: DecoderPool) -> SpeechEngine {
    var engine = SpeechEngine(
      name: "pocketsphinx",
      availability: { decoders.location.availability },
      makeSession: { options in
        try decoders.location.check(language: options.language)
        let search = try DecoderSearch(options)
        let decoder = try decoders.take(
          DecoderSettings(options.engineOptions),
          wholeDictionary: decoders.needsWholeDictionary(for: search))
        do {
          try decoder.search(for: search)
        } catch {
          decoders.giveBack(decoder)
          throw error
        }
        return try PocketSphinxSession(decoder: decoder, pool: decoders, options: options)
      })
    engine.capabilities = Set(SpeechEngineCapability.allCases)
    return engine
  }
}

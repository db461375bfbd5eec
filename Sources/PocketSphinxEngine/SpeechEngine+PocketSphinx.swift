import AudioCore
public import ClientDependencies
public import FoundationEssentials
public import SpeechEngine

extension SpeechEngine: DependencyKey {
  /// PocketSphinx with the model that Debian's `pocketsphinx-en-us` installs, or the one that the
  /// environment variable `SYRINX_POCKETSPHINX_MODEL` names.
  public static let liveValue = pocketSphinx()

  /// PocketSphinx with the model in a directory; without one, as `liveValue`.
  ///
  /// A model's language is told by the names of its folder and its files alone (`fr-fr`,
  /// `cmudict-en-us.dict`); one of another name is `und`, and taken at its user's word.
  ///
  /// It does dictation, grammars, key phrases, alternatives (not with key phrases), and
  /// contextual phrases, which choose among the likeliest readings. Words have a confidence in
  /// dictation, where a search for the best path is not switched off. The thresholds of key phrases
  /// have a scale of their own: 1e-5 for short phrases, 1e-30 for long ones. Their places are right
  /// to about 0.15 s, and a phrase that is the beginning of another hides that. A grammar imports no
  /// other one, and a public rule comes to 50 000 words at most, with each rule that it names in the
  /// place of the name. Its options are
  /// those of PocketSphinx' command line that weigh speed against accuracy: `lw`, `wip`, `pip`,
  /// `beam`, `pbeam`, `wbeam`, `maxhmmpf`, `maxwpf`, `ds`, `topn`, `fwdflat`, `bestpath`.
  ///
  /// The model is looked for at each use, and validated before PocketSphinx may see it, because
  /// that would end the process over a damaged one; once, until a file of it changes. Loaded
  /// decoders, of some 100 MB each, are kept for the next sessions: as many as were at work at
  /// once, and no more than there are processors. They have the words of the language model alone,
  /// which are all that dictation can find; for a grammar or key phrases with other words the whole
  /// dictionary is loaded, which takes longer, and that decoder takes dictation as well.
  public static func pocketSphinx(modelDirectory: URL? = nil) -> SpeechEngine {
    pocketSphinx(DecoderPool(location: ModelLocation(chosen: modelDirectory)))
  }

  /// PocketSphinx with the decoders of a pool.
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
    engine.makeListener = { _ in
      try PocketSphinxListener(model: try decoders.location.find())
    }
    return engine
  }
}

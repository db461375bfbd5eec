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
  /// The model is looked for at each use, and validated before PocketSphinx may see it, because
  /// that would end the process over a damaged one. One loaded decoder, of some 100 MB, is kept for
  /// the next session.
  public static func pocketSphinx(modelDirectory: URL? = nil) -> SpeechEngine {
    let decoders = DecoderPool(location: ModelLocation(chosen: modelDirectory))
    return SpeechEngine(
      name: "pocketsphinx",
      availability: { decoders.location.availability },
      makeSession: { options in
        try ModelLocation.check(language: options.language)
        let decoder = try decoders.take()
        do {
          try decoder.search(grammar: options.grammar)
        } catch {
          decoders.giveBack(decoder)
          throw error
        }
        return try PocketSphinxSession(decoder: decoder, pool: decoders)
      })
  }
}

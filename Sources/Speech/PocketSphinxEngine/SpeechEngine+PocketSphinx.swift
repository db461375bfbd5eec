import AudioCore
public import ClientDependencies
public import FoundationEssentials
public import SpeechEngine
import Synchronization

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
  /// once, and at most one per processor; a server without clients keeps one. They load only the words of the language model, which are
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
    engine.returnMemory = { decoders.returnMemory() }
    engine.capabilities = Set(SpeechEngineCapability.allCases)
    return engine
  }
}

/// Keeps loaded decoders for later sessions, because loading one takes a quarter of a second.
final class DecoderPool: Sendable {
  typealias Loading =
    @Sendable (ValidatedModel, _ wholeDictionary: Bool, DecoderSettings) throws(SpeechEngineError)
    ->
    Decoder

  let location: ModelLocation

  private let load: Loading
  private let models = ModelCache<ValidatedModel>()
  private let idle: IdlePool<Decoder>

  /// - Parameter limit: the most idle decoders to keep.
  init(
    location: ModelLocation, limit: Int = IdlePool<Decoder>.usualLimit,
    load: @escaping Loading = Decoder.init
  ) {
    (self.location, self.load) = (location, load)
    idle = IdlePool(limit: limit)
  }

  /// Takes an idle decoder, or loads a new one on this thread.
  ///
  /// - Parameter wholeDictionary: whether the decoder needs words that dictation does not find.
  /// - Throws: `SpeechEngineError` if the model is missing or damaged.
  func take(
    _ settings: DecoderSettings = DecoderSettings(), wholeDictionary: Bool = false
  ) throws(SpeechEngineError) -> Decoder {
    let free = idle.take {
      $0.settings == settings && ($0.knowsWholeDictionary || !wholeDictionary)
    }
    if let free { return free }
    return try load(models.validated(location.find()), wholeDictionary, settings)
  }

  /// Whether a search has words that dictation does not find.
  ///
  /// - Throws: `SpeechEngineError` if the model is missing or damaged.
  func needsWholeDictionary(for search: DecoderSearch) throws(SpeechEngineError) -> Bool {
    if search == .anything { return false }
    return try !search.isWithin(models.validated(location.find()).vocabulary)
  }

  /// Keeps an idle decoder if there is room and it is between utterances.
  ///
  /// A decoder within an utterance is freed: ending the utterance takes a final pass over all of
  /// it, for which a canceled task cannot wait.
  func giveBack(_ decoder: Decoder) {
    if !decoder.isInUtterance { idle.keep(decoder) }
  }

  /// Frees the idle decoders except for one, which makes the next session fast.
  func returnMemory() { idle.keepOne() }
}

/// Loaded objects that are not in use.
final class IdlePool<Element>: Sendable {
  static var usualLimit: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

  /// `@unchecked Sendable` is right although the element is not `Sendable`.
  ///
  /// Whoever stores an element here gives up its reference, and only one taker gets it.
  private struct Idle: @unchecked Sendable {
    let element: Element
  }

  private let limit: Int
  // Held to move an element in or out, never while one loads or works.
  private let idle = Mutex<[Idle]>([])

  init(limit: Int = IdlePool.usualLimit) {
    self.limit = limit
  }

  /// Takes the newest element that fits, or frees the newest one if none fits.
  ///
  /// Later requests will resemble this one. The freed element is gone when this returns, so that
  /// two are never in memory while another loads.
  func take(where fits: (Element) -> Bool = { _ in true }) -> Element? {
    let taken = idle.withLock { idle in
      let index = idle.lastIndex { fits($0.element) } ?? idle.indices.last
      return index.map { idle.remove(at: $0) }
    }
    guard let taken, fits(taken.element) else { return nil }
    return taken.element
  }

  func keep(_ element: Element) {
    let element = Idle(element: element)
    idle.withLock { idle in
      if idle.count < limit { idle.append(element) }
    }
  }

  /// Frees all elements but the newest one.
  func keepOne() {
    let freed = idle.withLock { idle in
      defer { idle = idle.suffix(1) }
      return idle.dropLast()
    }
    // They end here, outside the lock.
    withExtendedLifetime(freed) {}
  }
}

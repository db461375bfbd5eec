import AudioCore
public import ClientDependencies
public import FoundationEssentials
public import SpeechEngine
import Synchronization

extension SpeechEngine: DependencyKey {
  /// PocketSphinx with the model of Debian's `pocketsphinx-en-us`, or the model that the
  /// environment variable `SYRINX_POCKETSPHINX_MODEL` names.
  public static let liveValue = pocketSphinx()

  /// PocketSphinx with the model in a directory; without a directory, the engine equals
  /// `liveValue`.
  ///
  /// The language is taken from the names of the model's directory and files (`fr-fr`,
  /// `cmudict-en-us.dict`). With other names it is `und`, which accepts every language.
  ///
  /// The engine supports:
  /// - Dictation, with a confidence for each word unless the option `bestpath` is `no`.
  /// - Grammars without imports. A public rule may expand to at most 50,000 words.
  /// - Key phrases. Thresholds are about 1e-5 for short phrases and 1e-30 for long phrases.
  ///   Positions are accurate to about 0.15 s. If a phrase begins with another phrase, only the
  ///   shorter phrase is found.
  /// - Alternatives, but not with key phrases.
  /// - Contextual phrases, which select from the n-best list.
  /// - PocketSphinx's command-line options for speed and accuracy: `lw`, `wip`, `pip`, `beam`,
  ///   `pbeam`, `wbeam`, `maxhmmpf`, `maxwpf`, `ds`, `topn`, `fwdflat`, and `bestpath`.
  ///
  /// Each use searches for the model. Its files are checked once, and again after they change: they
  /// must exist, begin with the expected bytes, and have the sizes that their headers announce.
  /// Other damage may end the process, so use a model from a package.
  ///
  /// Loaded decoders of about 100 MB each are kept for later sessions, at most one per processor; a
  /// server without clients keeps one. A decoder loads only the words of the language model,
  /// because dictation can find no others. For a grammar or key phrases with other words, a decoder
  /// loads the whole dictionary, which takes longer. That decoder is then also used for dictation.
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
        let decoder = try decoders.acquire(
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
      .subtracting([.languageDetection, .translation])
    return engine
  }
}

/// Keeps loaded decoders for later sessions, because loading a decoder takes a quarter of a second.
final class DecoderPool: Sendable {
  typealias Loading =
    @Sendable (ValidatedModel, _ wholeDictionary: Bool, DecoderSettings) throws(SpeechEngineError)
    ->
    Decoder

  let location: ModelLocation

  private let load: Loading
  private let models = ModelCache<ValidatedModel>()
  private let idle: IdlePool<Decoder>

  /// Creates a pool that keeps at most `limit` idle decoders.
  init(
    location: ModelLocation, limit: Int = IdlePool<Decoder>.usualLimit,
    load: @escaping Loading = Decoder.init
  ) {
    (self.location, self.load) = (location, load)
    idle = IdlePool(limit: limit)
  }

  /// Acquires an idle decoder, or loads a new decoder on this thread.
  ///
  /// If `wholeDictionary` is true, the decoder also has the words that the language model lacks.
  ///
  /// - Throws: `SpeechEngineError` if the model is missing or damaged.
  func acquire(
    _ settings: DecoderSettings = DecoderSettings(), wholeDictionary: Bool = false
  ) throws(SpeechEngineError) -> Decoder {
    let free = idle.popFirst {
      $0.settings == settings && ($0.knowsWholeDictionary || !wholeDictionary)
    }
    if let free { return free }
    return try load(models.validated(location.find()), wholeDictionary, settings)
  }

  /// Whether a search contains words outside of the language model.
  ///
  /// - Throws: `SpeechEngineError` if the model is missing or damaged.
  func needsWholeDictionary(for search: DecoderSearch) throws(SpeechEngineError) -> Bool {
    if search == .anything { return false }
    return try !search.isWithin(models.validated(location.find()).vocabulary)
  }

  /// Keeps a decoder for later sessions if the pool has room and the decoder is between utterances.
  ///
  /// A decoder within an utterance is freed. To end the utterance, it would make a final pass over
  /// all audio of the utterance, and a canceled task cannot wait for that.
  func giveBack(_ decoder: Decoder) {
    if !decoder.isInUtterance { idle.keep(decoder) }
  }

  /// Frees the idle decoders except for one, which makes the next session fast.
  func returnMemory() { idle.keepOne() }
}

/// Keeps loaded objects that are not in use.
final class IdlePool<Element>: Sendable {
  static var usualLimit: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

  /// An element in the pool.
  ///
  /// `@unchecked Sendable` is safe although the element is not `Sendable`: the caller that stores
  /// the element keeps no reference, and only one caller removes the element.
  private struct Idle: @unchecked Sendable {
    let element: Element
  }

  private let limit: Int
  // The lock is held to add or remove an element, never while an element loads or works.
  private let idle = Mutex<[Idle]>([])

  init(limit: Int = IdlePool.usualLimit) {
    self.limit = limit
  }

  /// Removes and returns the newest suitable element.
  ///
  /// If none is suitable, frees the newest element and returns nil. The freed element is then not
  /// in memory while the caller loads another element. Later requests will probably resemble this
  /// request, so they would not need the freed element.
  func popFirst(where fits: (Element) -> Bool = { _ in true }) -> Element? {
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

  /// Frees all elements except the newest.
  func keepOne() {
    let freed = idle.withLock { idle in
      defer { idle = idle.suffix(1) }
      return idle.dropLast()
    }
    // The elements are freed here, outside the lock.
    withExtendedLifetime(freed) {}
  }
}

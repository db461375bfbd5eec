import FoundationEssentials
import SpeechEngine
import Synchronization

/// Keeps loaded decoders for later sessions, because loading one takes a quarter of a second.
final class DecoderPool: Sendable {
  typealias Loading =
    @Sendable (ValidatedModel, _ wholeDictionary: Bool, DecoderSettings) throws(SpeechEngineError)
    ->
    Decoder

  let location: ModelLocation

  private let load: Loading
  private let validator = ModelValidator()
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
    return try load(validator.model(location.find()), wholeDictionary, settings)
  }

  /// Whether a search has words that dictation does not find.
  ///
  /// - Throws: `SpeechEngineError` if the model is missing or damaged.
  func needsWholeDictionary(for search: DecoderSearch) throws(SpeechEngineError) -> Bool {
    if search == .anything { return false }
    return try !search.isWithin(validator.model(location.find()).vocabulary)
  }

  /// Keeps an idle decoder if there is room and it is between utterances.
  ///
  /// A decoder within an utterance is freed: ending the utterance takes a final pass over all of
  /// it, for which a canceled task cannot wait.
  func giveBack(_ decoder: Decoder) {
    if !decoder.isInUtterance { idle.keep(decoder) }
  }
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
}

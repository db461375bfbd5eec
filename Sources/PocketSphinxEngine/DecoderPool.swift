import FoundationEssentials
import SpeechEngine
import Synchronization

/// Keeps loaded decoders for the next sessions, because loading takes a quarter of a second.
final class DecoderPool: Sendable {
  /// Loads a decoder of a model, with the whole dictionary or not.
  typealias Loading =
    @Sendable (CheckedModel, _ wholeDictionary: Bool, DecoderSettings) throws(SpeechEngineError) ->
    Decoder

  let location: ModelLocation

  private let limit: Int
  private let load: Loading
  private let check = ModelCheck()
  // Held to move a decoder in or out, never while one loads or works.
  private let idle = Mutex<[IdleDecoder]>([])

  /// - Parameter limit: how many decoders are kept at most.
  init(
    location: ModelLocation, limit: Int = max(1, ProcessInfo.processInfo.activeProcessorCount),
    load: @escaping Loading = Decoder.init
  ) {
    (self.location, self.limit, self.load) = (location, limit, load)
  }

  /// The decoder that is free, or a new one, which is loaded here and now.
  ///
  /// - Parameter wholeDictionary: whether it has to know more words than dictation finds.
  /// - Throws: `SpeechEngineError` where the model is missing or damaged.
  func take(
    _ settings: DecoderSettings = DecoderSettings(), wholeDictionary: Bool = false
  ) throws(SpeechEngineError) -> Decoder {
    if let free = takeIdle(where: {
      $0.settings == settings && ($0.knowsWholeDictionary || !wholeDictionary)
    }) {
      return free
    }
    return try load(check.model(location.find()), wholeDictionary, settings)
  }

  /// Whether a search has words that dictation does not find.
  ///
  /// - Throws: `SpeechEngineError` where the model is missing or damaged.
  func needsWholeDictionary(for search: DecoderSearch) throws(SpeechEngineError) -> Bool {
    if search == .anything { return false }
    return try !search.isWithin(check.model(location.find()).vocabulary)
  }

  /// The newest idle decoder that fits; where there is none, one that does not is let go of.
  ///
  /// What is asked for now will be asked for again. The one that goes is freed when this returns:
  /// two of them must not be in memory while another is loaded in its place.
  private func takeIdle(where fits: (Decoder) -> Bool) -> Decoder? {
    let taken = idle.withLock { idle in
      let index = idle.lastIndex { fits($0.decoder) } ?? idle.indices.last
      return index.map { idle.remove(at: $0) }
    }
    guard let taken, fits(taken.decoder) else { return nil }
    return taken.decoder
  }

  /// Takes a decoder back, and keeps it where there is room and it is between utterances.
  ///
  /// One that was left in an utterance is freed: to end the utterance, PocketSphinx would search it
  /// once more, up to its whole length, and a cancelled task must be gone sooner than that.
  func giveBack(_ decoder: Decoder) {
    guard !decoder.isInUtterance else { return }
    let free = IdleDecoder(decoder: decoder)
    idle.withLock { idle in
      if idle.count < limit { idle.append(free) }
    }
  }
}

/// A decoder that nobody uses.
///
/// Unchecked, because a decoder is no value; right, because whoever gives it back keeps no
/// reference, and one taker gets it.
private struct IdleDecoder: @unchecked Sendable {
  let decoder: Decoder
}

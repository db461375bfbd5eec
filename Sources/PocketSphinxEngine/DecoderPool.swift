import FoundationEssentials
import SpeechEngine
import Synchronization

/// Keeps loaded decoders for the next sessions, because loading takes a quarter of a second.
final class DecoderPool: Sendable {
  let location: ModelLocation

  private let limit: Int
  private let check = ModelCheck()
  // Held to move a decoder in or out, never while one loads or works.
  private let idle = Mutex<[IdleDecoder]>([])

  /// - Parameter limit: how many decoders are kept at most.
  init(
    location: ModelLocation, limit: Int = max(1, ProcessInfo.processInfo.activeProcessorCount)
  ) {
    (self.location, self.limit) = (location, limit)
  }

  /// The decoder that is free, or a new one, which is loaded here and now.
  ///
  /// - Parameter wholeDictionary: whether it has to know more words than dictation finds.
  /// - Throws: `SpeechEngineError` where the model is missing or damaged.
  func take(
    _ settings: DecoderSettings = DecoderSettings(), wholeDictionary: Bool = false
  ) throws(SpeechEngineError) -> Decoder {
    func fits(_ decoder: Decoder) -> Bool {
      decoder.settings == settings && (decoder.knowsWholeDictionary || !wholeDictionary)
    }
    let free = idle.withLock { idle in
      // One that does not fit is let go of: what is asked for now will be asked for again.
      let index = idle.lastIndex { fits($0.decoder) } ?? idle.indices.last
      return index.map { idle.remove(at: $0) }
    }
    if let free, fits(free.decoder) { return free.decoder }
    return try Decoder(
      model: check.model(location.find()), wholeDictionary: wholeDictionary, settings: settings)
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

import FoundationEssentials
import SpeechEngine
import Synchronization

/// Keeps loaded decoders for the next sessions, because loading takes a third of a second.
final class DecoderPool: Sendable {
  let location: ModelLocation

  private let limit: Int
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
  /// - Throws: `SpeechEngineError` where the model is missing or damaged.
  func take(
    _ settings: DecoderSettings = DecoderSettings()
  ) throws(SpeechEngineError) -> Decoder {
    let free = idle.withLock { idle in
      // One with other settings is let go of: what is asked for now will be asked for again.
      let same = idle.lastIndex { $0.decoder.settings == settings } ?? idle.indices.last
      return same.map { idle.remove(at: $0) }
    }
    if let free, free.decoder.settings == settings { return free.decoder }
    let files = try location.find()
    try files.validate()
    return try Decoder(model: files, settings: settings)
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

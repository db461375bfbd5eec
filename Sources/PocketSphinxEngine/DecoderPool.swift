import SpeechEngine
import Synchronization

/// Keeps one loaded decoder for the next session, because loading takes a third of a second.
final class DecoderPool: Sendable {
  let location: ModelLocation

  // Held to move a decoder in or out, never while one loads or works.
  private let idle = Mutex<IdleDecoder?>(nil)

  init(location: ModelLocation) {
    self.location = location
  }

  /// The decoder that is free, or a new one, which is loaded here and now.
  ///
  /// - Throws: `SpeechEngineError` where the model is missing or damaged.
  func take() throws(SpeechEngineError) -> Decoder {
    if let free = idle.withLock({ $0.take() }) { return free.decoder }
    let files = try location.find()
    try files.validate()
    return try Decoder(model: files)
  }

  /// Takes a decoder back, and keeps it where there is none yet and it is between utterances.
  ///
  /// One that was left in an utterance is freed: to end the utterance, PocketSphinx would search it
  /// once more, up to its whole length, and a cancelled task must be gone sooner than that.
  func giveBack(_ decoder: Decoder) {
    guard !decoder.isInUtterance else { return }
    let free = IdleDecoder(decoder: decoder)
    idle.withLock { idle in
      if idle == nil { idle = free }
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

/// A recogniser at work on one stream: utterance after utterance, each begun, fed and finished.
///
/// Thread safety: none. One thread makes it, uses it and lets go of it; what it learns about the
/// voice and the room is carried from one utterance to the next, so a stream keeps its session.
/// Letting go of it in the middle of an utterance abandons that utterance and returns within a
/// moment.
public protocol SpeechEngineSession: AnyObject {
  /// Begins an utterance; the one before has been finished.
  ///
  /// - Throws: `SpeechEngineError.failed` where the engine refuses.
  func beginUtterance() throws(SpeechEngineError)

  /// Begins an utterance with what the engine's `SpeechStreamListener` knew before it, in place of
  /// what this session has heard.
  ///
  /// - Throws: `SpeechEngineError.failed` where the engine refuses.
  func beginUtterance(knowing knowledge: any Sendable) throws(SpeechEngineError)

  /// Hears the next samples of the utterance: 16 kHz, mono, full scale ±1.
  ///
  /// It blocks while it works, in proportion to the number of samples; a tenth of a second at a
  /// time is a good measure.
  ///
  /// - Throws: `SpeechEngineError.failed` where the engine fails; the session is of no more use.
  func process(_ samples: [Float]) throws(SpeechEngineError)

  /// What the engine takes the utterance for so far; it may change its mind about every word of it.
  var hypothesis: SpeechHypothesis { get }

  /// How much silence the engine wants to hear after the last sound of an utterance, so that it
  /// does not cut the last word; none where it does not say.
  var tailPadding: Duration { get }

  /// Ends the utterance and gives what the engine takes it for.
  ///
  /// - Throws: `SpeechEngineError.failed` where the engine fails; the session is of no more use.
  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis
}

extension SpeechEngineSession {
  /// Begins an utterance; for an engine whose sessions learn nothing.
  public func beginUtterance(knowing knowledge: any Sendable) throws(SpeechEngineError) {
    try beginUtterance()
  }

  /// No silence beyond that of the utterance.
  public var tailPadding: Duration { .zero }
}

/// The recognition of one stream, utterance by utterance: each is begun, fed, and finished.
///
/// A session carries what it learns about the voice and the room from one utterance to the next, so
/// a stream keeps its session. Releasing it in the middle of an utterance abandons that utterance
/// and returns within a moment.
///
/// Thread safety: none. One thread makes it, uses it, and releases it.
public protocol SpeechEngineSession: AnyObject {
  /// Connects to what the session needs, so that a failure shows before the first utterance.
  ///
  /// `interrupt` ends it. A session that is not prepared is prepared by its first utterance.
  ///
  /// - Throws: `SpeechEngineError.unreachable` if a server cannot be reached.
  func prepare() throws(SpeechEngineError)

  /// Begins an utterance; the one before has been finished.
  ///
  /// - Throws: `SpeechEngineError.failed` if the engine refuses.
  func beginUtterance() throws(SpeechEngineError)

  /// Begins an utterance with a state of the engine's `SpeechAdaptation` instead of this session's
  /// own.
  ///
  /// - Throws: `SpeechEngineError.failed` if the engine refuses.
  func beginUtterance(adaptationState state: any Sendable) throws(SpeechEngineError)

  /// Takes the next samples of the utterance: 16 kHz, mono, full scale ±1.
  ///
  /// It blocks while it works, in proportion to the number of samples; give it about a tenth of a
  /// second at a time.
  ///
  /// - Throws: `SpeechEngineError.failed` if the engine fails; the session cannot be used again.
  func process(_ samples: [Float]) throws(SpeechEngineError)

  /// The words of the utterance so far, each of which may still change.
  ///
  /// Reading it may cost a decode of the utterance (`SpeechEngine.partialInterval`).
  ///
  /// - Throws: `SpeechEngineError.failed` if the engine fails; the session cannot be used again.
  var hypothesis: SpeechHypothesis { get throws(SpeechEngineError) }

  /// Notifies the engine of 200 ms of silence, so that it can decode what may be the whole utterance
  /// while the silence goes on.
  ///
  /// It is called once per pause of live audio if `SpeechEngine.anticipatesEnd`; `hypothesis` is then
  /// the result. If the silence goes on, `finishUtterance` follows and uses the result. If speech resumes, `process` brings the rest
  /// of the pause and the speech, and the engine drops the result.
  ///
  /// - Throws: `SpeechEngineError.failed` if the engine fails; the session cannot be used again.
  func anticipateEnd() throws(SpeechEngineError)

  /// Ends what the session is doing, from any thread: within a tenth of a second the call that is
  /// under way, and each later one, throws `SpeechEngineError.interrupted`.
  ///
  /// It is called when the result is no longer needed, possibly more than once, and while a task is
  /// being canceled: it returns at once, and takes no lock that is held for long.
  var interrupt: @Sendable () -> Void { get }

  /// How much silence the engine needs after the last sound of an utterance, so that it does not
  /// cut the last word; none by default.
  var tailPadding: Duration { get }

  /// Ends the utterance and returns its words.
  ///
  /// - Throws: `SpeechEngineError.failed` if the engine fails; the session cannot be used again.
  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis
}

extension SpeechEngineSession {
  /// Does nothing, for an engine whose `makeSession` does everything.
  public func prepare() throws(SpeechEngineError) {}

  /// Begins an utterance; for an engine that does not adapt (`NoAdaptation`).
  public func beginUtterance(adaptationState state: any Sendable) throws(SpeechEngineError) {
    try beginUtterance()
  }

  /// Does nothing, for an engine that decodes as the audio comes.
  public func anticipateEnd() throws(SpeechEngineError) {}

  /// Does nothing, for an engine whose calls return within a tenth of a second.
  public var interrupt: @Sendable () -> Void { {} }

  /// No silence beyond that of the utterance.
  public var tailPadding: Duration { .zero }
}

public import AudioCore

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
  /// the result. If the silence goes on, `finishUtterance` follows and uses the result. If speech
  /// resumes, `process` brings the rest of the pause and the speech, and the engine drops the result.
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

/// What a stream requests of its session.
///
/// An engine that cannot do what is requested throws `SpeechEngineError.unsupported` when the
/// session is made. It never ignores a request silently, except `contextualPhrases`.
public struct SpeechSessionOptions: Hashable, Sendable {
  /// Whether `hypothesis` will be read before the end of the utterance.
  public var wantsPartialHypotheses: Bool

  /// The text of the JSGF grammar whose sentences may be said; nil for dictation.
  public var grammar: String?

  /// The language that will be spoken, as a BCP 47 tag; nil for that of the engine's model.
  public var language: String?

  /// The phrases to listen for, and nothing else; none for dictation or the grammar.
  public var keyPhrases: [KeyPhrase] = []

  /// Phrases that are likely to be said; a hint that an engine may ignore.
  public var contextualPhrases: [String] = []

  /// How many alternatives are requested besides the best result; 0 or more.
  public var alternativeCount = 0

  /// Whether word times are measured; otherwise the engine may estimate them.
  public var measuresWordTimes = true

  /// Settings that only the engine knows, by its own names for them.
  public var engineOptions: [String: String] = [:]

  /// The options of a stream; the default is dictation with partial results.
  public init(
    wantsPartialHypotheses: Bool = true, grammar: String? = nil, language: String? = nil
  ) {
    self.wantsPartialHypotheses = wantsPartialHypotheses
    self.grammar = grammar
    self.language = language
  }
}

/// The adaptation to a stream's voice and room, computed without recognizing the stream.
///
/// It is so much cheaper than a session that several sessions can share the utterances of a stream.
/// They return the words that one session would have returned, because each utterance begins with
/// the state that one session would have by then.
///
/// Thread safety: none. One thread at a time uses it.
public protocol SpeechAdaptation: AnyObject {
  /// The state before the next utterance, for
  /// `SpeechEngineSession.beginUtterance(adaptationState:)`.
  var state: any Sendable { get }

  /// The `SpeechEngineSession.tailPadding` of the stream's sessions; none by default.
  var tailPadding: Duration { get }

  /// Adapts to the next utterance, given in the same pieces in which a session will get it.
  func add(_ utterance: [[Float]])
}

extension SpeechAdaptation {
  /// No silence beyond that of the utterance.
  public var tailPadding: Duration { .zero }
}

/// The adaptation of an engine that does not adapt: no utterance depends on those before it, and
/// every session may take any utterance.
///
/// ```swift
/// engine.makeAdaptation = { _ in NoAdaptation() }
/// ```
public final class NoAdaptation: SpeechAdaptation {
  /// The `SpeechEngineSession.tailPadding` of the engine's sessions.
  public let tailPadding: Duration

  /// Creates an adaptation for sessions that need this much silence after an utterance.
  public init(tailPadding: Duration = .zero) {
    self.tailPadding = tailPadding
  }

  /// An empty state.
  public var state: any Sendable { () }

  /// Does nothing.
  public func add(_ utterance: [[Float]]) {}
}

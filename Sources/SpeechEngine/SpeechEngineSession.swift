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

  /// Hears the next samples of the utterance: 16 kHz, mono, full scale ±1.
  ///
  /// It blocks while it works, in proportion to the number of samples; a tenth of a second at a
  /// time is a good measure.
  ///
  /// - Throws: `SpeechEngineError.failed` where the engine fails; the session is of no more use.
  func process(_ samples: [Float]) throws(SpeechEngineError)

  /// What the engine takes the utterance for so far; it may change its mind about every word of it.
  var hypothesis: SpeechHypothesis { get }

  /// Ends the utterance and gives what the engine takes it for.
  ///
  /// - Throws: `SpeechEngineError.failed` where the engine fails; the session is of no more use.
  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis
}

/// What a stream wants of its session.
public struct SpeechSessionOptions: Hashable, Sendable {
  /// Whether `hypothesis` will be read before the end of the utterance.
  public var wantsPartialHypotheses: Bool

  /// The text of a JSGF grammar that every utterance is taken for a sentence of; nil for dictation.
  public var grammar: String?

  /// The language that will be spoken, as a BCP 47 tag; nil for that of the engine's model.
  public var language: String?

  /// The options of a stream; the default is dictation with partial results.
  public init(
    wantsPartialHypotheses: Bool = true, grammar: String? = nil, language: String? = nil
  ) {
    self.wantsPartialHypotheses = wantsPartialHypotheses
    self.grammar = grammar
    self.language = language
  }
}

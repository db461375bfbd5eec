public import AudioCore

/// The recognition of utterances, one after the other: each is begun, fed, and finished.
///
/// The words of an utterance depend on its audio only, not on other utterances: which of them a session
/// gets depends on the number of sessions. Releasing a session in the middle of an utterance abandons
/// that utterance and returns within a moment.
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

  /// Takes the next samples of the utterance: 16 kHz, mono, full scale ±1.
  ///
  /// It blocks while it works, in proportion to the number of samples; give it about a tenth of a
  /// second at a time.
  ///
  /// - Throws: `SpeechEngineError.failed` if the engine fails; the session cannot be used again.
  func process(_ samples: [Float]) throws(SpeechEngineError)

  /// The words of the utterance so far, each of which may still change.
  ///
  /// Reading it may cost a decode of the utterance (`SpeechSessionTraits.decodeInterval`).
  ///
  /// - Throws: `SpeechEngineError.failed` if the engine fails; the session cannot be used again.
  var hypothesis: SpeechHypothesis { get throws(SpeechEngineError) }

  /// Notifies the engine of 200 ms of silence, so that it can decode what may be the whole utterance
  /// while the silence goes on.
  ///
  /// It is called once per pause of live audio if there is a `SpeechSessionTraits.decodeInterval`;
  /// `hypothesis` is then the result. If the silence goes on, `finishUtterance` follows and uses the result. If speech
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

  /// What the session needs, which never changes; the default suits an engine that decodes as the audio
  /// comes.
  var traits: SpeechSessionTraits { get }

  /// Ends the utterance and returns its words.
  ///
  /// - Throws: `SpeechEngineError.failed` if the engine fails; the session cannot be used again.
  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis
}

extension SpeechEngineSession {
  /// Does nothing, for an engine whose `makeSession` does everything.
  public func prepare() throws(SpeechEngineError) {}

  /// Does nothing, for an engine that decodes as the audio comes.
  public func anticipateEnd() throws(SpeechEngineError) {}

  /// Does nothing, for an engine whose calls return within a tenth of a second.
  public var interrupt: @Sendable () -> Void { {} }

  /// Those of an engine that decodes as the audio comes.
  public var traits: SpeechSessionTraits { SpeechSessionTraits() }
}

/// What a session needs of the audio, and how it decodes.
public struct SpeechSessionTraits: Equatable, Sendable {
  /// How much silence follows the last sound of an utterance at least, so that the engine does not cut
  /// the last word.
  public var tailPadding = Duration.zero

  /// The shortest and longest utterance that the engine accepts.
  ///
  /// A shorter one is padded with silence; a longer one is cut at a quiet point, even if the policy
  /// allows more.
  public var utteranceLength: ClosedRange<Duration> = .zero ... .seconds(3600)

  /// How much more audio is worth another decode, for an engine that decodes whole utterances; nil for
  /// one that decodes as the audio comes.
  ///
  /// With an interval:
  /// - `hypothesis` is read less often, and not at all while the recognizer lags behind a live source.
  /// - `anticipateEnd` is called in pauses of live audio, and the session gets at most 200 ms of a
  ///   silence (or the policy's `tailPadding`) unless speech resumes.
  /// - Neighboring utterances of a file are joined, because the engine recognizes more with more
  ///   context, up to the longest utterance or `EndpointPolicy.maximumLength`, whichever is less.
  ///   Silence longer than about half a second is removed. The words are then divided into several
  ///   results, at sentences and pauses.
  public var decodeInterval: Duration?

  /// Whether a failed session (`SpeechEngineError.failed`, `.unreachable`) loses only one utterance.
  ///
  /// The next utterance gets a new session; the third failure in a row ends the stream. Otherwise the
  /// first failure does.
  public var survivesFailure = false

  /// The traits of an engine that decodes as the audio comes.
  ///
  /// - Parameters:
  ///   - tailPadding: the least silence after an utterance.
  ///   - decodeInterval: the interval of an engine that decodes whole utterances.
  public init(tailPadding: Duration = .zero, decodeInterval: Duration? = nil) {
    (self.tailPadding, self.decodeInterval) = (tailPadding, decodeInterval)
  }
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

public import AudioCore

/// Recognizes utterances one after the other; each is begun, processed, and finished.
///
/// The words of an utterance must depend only on its audio, because the number of sessions
/// determines which other utterances a session processes. Releasing a session in the middle of an
/// utterance abandons that utterance and returns promptly.
///
/// Thread safety: none. One thread creates, uses, and releases it.
public protocol SpeechEngineSession: AnyObject {
  /// Connects to the services that the session needs, so that a failure is detected before the
  /// first utterance.
  ///
  /// `interrupt` ends the call. If `prepare` is never called, the first utterance connects.
  ///
  /// - Throws: `SpeechEngineError.unreachable` if a server cannot be reached.
  func prepare() throws(SpeechEngineError)

  /// Begins an utterance; the previous utterance has been finished.
  ///
  /// - Throws: `SpeechEngineError.failed` if the engine fails.
  func beginUtterance() throws(SpeechEngineError)

  /// Processes the next samples of the utterance: 16 kHz, mono, full scale ±1.
  ///
  /// It blocks in proportion to the number of samples; pass about a tenth of a second at a time.
  ///
  /// - Throws: `SpeechEngineError.failed` if the engine fails; the session cannot be used again.
  func process(_ samples: [Float]) throws(SpeechEngineError)

  /// The words of the utterance so far, which may all still change.
  ///
  /// Reading it may cost a decode of the utterance (`SpeechSessionTraits.decodeInterval`).
  ///
  /// - Throws: `SpeechEngineError.failed` if the engine fails; the session cannot be used again.
  var hypothesis: SpeechHypothesis { get throws(SpeechEngineError) }

  /// Notifies the engine that the utterance may be complete, after 200 ms of silence.
  ///
  /// The engine can decode the utterance while the silence continues; `hypothesis` is then the
  /// result. If the silence continues, `finishUtterance` follows and uses the result. If speech
  /// resumes, `process` gets the rest of the pause and the speech, and the engine drops the result.
  ///
  /// The method is called once per pause of live audio, if there is a
  /// `SpeechSessionTraits.decodeInterval`.
  ///
  /// - Throws: `SpeechEngineError.failed` if the engine fails; the session cannot be used again.
  func anticipateEnd() throws(SpeechEngineError)

  /// Interrupts the session from any thread: within a tenth of a second the current call, and each
  /// later call, throws `SpeechEngineError.interrupted`.
  ///
  /// It is called when the result is no longer needed, possibly more than once, and during the
  /// cancellation of a task. It must return at once, so it must not wait for a lock that another
  /// thread holds for long.
  var interrupt: @Sendable () -> Void { get }

  /// The requirements of the session, which never change; the default suits an engine that decodes
  /// audio as it arrives.
  var traits: SpeechSessionTraits { get }

  /// Requests measured times for the words of the current utterance, even if the options permit
  /// estimates.
  ///
  /// It is called before `finishUtterance` if utterances were joined, because the times divide the
  /// words into several results (`SpeechSessionTraits.decodeInterval`). The default does nothing.
  func measureWordTimes()

  /// Ends the utterance and returns its words.
  ///
  /// - Throws: `SpeechEngineError.failed` if the engine fails; the session cannot be used again.
  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis
}

extension SpeechEngineSession {
  /// Does nothing, for an engine whose `makeSession` does everything.
  public func prepare() throws(SpeechEngineError) {}

  /// Does nothing, for an engine that decodes audio as it arrives.
  public func anticipateEnd() throws(SpeechEngineError) {}

  /// Does nothing, for an engine that measures word times always or never.
  public func measureWordTimes() {}

  /// Does nothing, for an engine whose calls return within a tenth of a second.
  public var interrupt: @Sendable () -> Void { {} }

  /// The traits of an engine that decodes audio as it arrives.
  public var traits: SpeechSessionTraits { SpeechSessionTraits() }
}

/// The requirements of a session for its audio, and its way of decoding.
public struct SpeechSessionTraits: Equatable, Sendable {
  /// The minimum duration of silence that the engine needs after the last sound of an utterance, to
  /// recognize the whole last word.
  public var tailPadding = Duration.zero

  /// The shortest and longest utterance that the engine accepts.
  ///
  /// A shorter utterance is padded with silence; a longer utterance is cut at a quiet point, even
  /// if the endpoint policy permits its length.
  public var utteranceLength: ClosedRange<Duration> = .zero ... .seconds(3600)

  /// The amount of additional audio that justifies another decode, for an engine that decodes whole
  /// utterances; nil for an engine that decodes audio as it arrives.
  ///
  /// With an interval:
  /// - `hypothesis` is read less often, and not at all while the recognizer lags behind a live
  ///   source.
  /// - `anticipateEnd` is called in pauses of live audio, and the session gets at most 200 ms of
  ///   each silence (or the policy's `tailPadding`) unless speech resumes.
  /// - Neighboring utterances of a file are joined, because the engine is more accurate with more
  ///   context, up to the longest utterance or `EndpointPolicy.maximumLength`, whichever is less.
  ///   Silence longer than about half a second is removed. The words are then divided into several
  ///   results, at sentences and pauses. An engine that decodes audio as it arrives gains nothing:
  ///   in nine files of 826 words, PocketSphinx gets 280 words wrong in separate utterances, and
  ///   304 in joined utterances.
  public var decodeInterval: Duration?

  /// Whether a failed session (`SpeechEngineError.failed`, `.unreachable`) loses only one
  /// utterance.
  ///
  /// If true, the next utterance gets a new session, and the stream ends only after the third
  /// failure in a row. If false, the first failure ends the stream.
  public var survivesFailure = false

  /// Creates the traits of an engine; by default, of an engine that decodes audio as it arrives.
  ///
  /// - Parameters:
  ///   - tailPadding: the minimum silence after an utterance.
  ///   - decodeInterval: the interval of an engine that decodes whole utterances.
  public init(tailPadding: Duration = .zero, decodeInterval: Duration? = nil) {
    (self.tailPadding, self.decodeInterval) = (tailPadding, decodeInterval)
  }
}

/// The options that a stream requests from its session.
///
/// An engine throws `SpeechEngineError.unsupported` for an unsupported option when the session is
/// created. It never silently ignores an option, except `contextualPhrases`.
public struct SpeechSessionOptions: Hashable, Sendable {
  /// Whether `hypothesis` will be read before the end of the utterance.
  public var wantsPartialHypotheses: Bool

  /// The text of the JSGF grammar with the permitted sentences; nil for dictation.
  public var grammar: String?

  /// Whether there will be a grammar, which is read after the engine is chosen.
  package var hasGrammar = false

  /// The spoken language, as a BCP 47 tag; nil for the language of the engine's model.
  ///
  /// With `SpokenLanguage.detected`, an engine with `SpeechEngineCapability.languageDetection` finds
  /// the language of each utterance.
  public var language: String?

  /// Whether to translate the words into English, by an engine with
  /// `SpeechEngineCapability.translation`.
  public var translates = false

  /// The key phrases to recognize exclusively; empty for dictation or the grammar.
  public var keyPhrases: [KeyPhrase] = []

  /// Phrases that are likely to be spoken; a hint that an engine may ignore.
  public var contextualPhrases: [String] = []

  /// The number of alternatives to return besides the best result, at least 0.
  public var alternativeCount = 0

  /// Whether the engine must measure word times.
  ///
  /// If false, it may estimate them, unless `measureWordTimes` is called.
  public var measuresWordTimes = true

  /// Settings specific to the engine, by the names that the engine defines.
  public var engineOptions: [String: String] = [:]

  /// Creates the options of a stream; without arguments, they request dictation with partial
  /// results.
  public init(
    wantsPartialHypotheses: Bool = true, grammar: String? = nil, language: String? = nil
  ) {
    self.wantsPartialHypotheses = wantsPartialHypotheses
    self.grammar = grammar
    self.language = language
  }

  /// The capabilities that the options require of an engine.
  package var needed: Set<SpeechEngineCapability> {
    let needed: [(SpeechEngineCapability, Bool)] = [
      (.grammar, hasGrammar || grammar != nil), (.keyPhrases, !keyPhrases.isEmpty),
      (.alternatives, alternativeCount > 0), (.engineOptions, !engineOptions.isEmpty),
      (.languageDetection, language == SpokenLanguage.detected), (.translation, translates),
    ]
    return Set(needed.filter { $0.1 }.map { $0.0 })
  }
}

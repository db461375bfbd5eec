public import AudioCore

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

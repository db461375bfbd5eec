/// A model that a speech recognition engine has found.
public struct SpeechModel: Hashable, Sendable {
  /// Its language, as a BCP 47 tag such as `en-US`; `und` if it is unknown.
  public var language: String
  /// Its location: a path, or an address.
  public var location: String

  /// A model from its description.
  public init(language: String, location: String) {
    self.language = language
    self.location = location
  }
}

/// What a speech recognition engine can do besides dictation.
///
/// An engine may support a capability only with some models or options; otherwise the request fails
/// when its session is made. It never supports one that it does not list.
public enum SpeechEngineCapability: String, CaseIterable, Sendable {
  /// Returns results before the utterance ends.
  case partialResults
  /// Recognizes only sentences of a JSGF grammar: `SpeechRequest.grammar`.
  case grammar
  /// Recognizes only given phrases: `SpeechRequest.keyPhrases`.
  case keyPhrases
  /// Prefers alternatives with phrases that are likely to be said:
  /// `SpeechRequest.contextualPhrases`, which other engines ignore.
  case contextualPhrases
  /// Returns alternatives of an utterance: `SpeechRequest.alternativeCount`.
  case alternatives
  /// Returns a confidence for each word: `TranscriptionSegment.confidence`, which other engines
  /// leave nil.
  case confidence
  /// Measures word timestamps instead of estimating them.
  case wordTimes
  /// Has its own settings: `SpeechRequest.engineOptions`.
  case engineOptions
}

/// A phrase to detect in running speech.
public struct KeyPhrase: Hashable, Sendable {
  /// Its words, with a space between them.
  public var text: String

  /// The minimum likelihood of the phrase; nil for the engine's default.
  ///
  /// Above 0 and at most 1; lower values find more phrases, with more false positives. The scale is
  /// the engine's.
  public var threshold: Double?

  /// A phrase, with the engine's own threshold unless another is given.
  public init(_ text: String, threshold: Double? = nil) {
    self.text = text
    self.threshold = threshold
  }
}

/// A model that a speech recognition engine has found.
public struct SpeechModel: Hashable, Sendable {
  /// The model's language, as a BCP 47 tag such as `en-US`; `und` if it is unknown.
  public var language: String
  /// The model's location: a path, or an address.
  public var location: String

  /// Creates a model.
  public init(language: String, location: String) {
    self.language = language
    self.location = location
  }
}

/// The features of a speech recognition engine besides dictation.
///
/// An engine may support a listed capability only with some models or options; otherwise the
/// request fails when its session is made. An engine supports no unlisted capability.
public enum SpeechEngineCapability: String, CaseIterable, Sendable {
  /// Returns results before the utterance ends.
  case partialResults
  /// Recognizes only sentences of a JSGF grammar: `SpeechRequest.grammar`.
  case grammar
  /// Recognizes only given phrases: `SpeechRequest.keyPhrases`.
  case keyPhrases
  /// Prefers alternatives with the phrases of `SpeechRequest.contextualPhrases`.
  ///
  /// Engines without this capability spell the phrases as given, but do not prefer them.
  case contextualPhrases
  /// Returns alternatives of an utterance: `SpeechRequest.alternativeCount`.
  case alternatives
  /// Returns a confidence for each word: `TranscriptionSegment.confidence`, which is nil for
  /// engines without this capability.
  case confidence
  /// Measures word timestamps instead of estimating them.
  case wordTimes
  /// Finds the language of each utterance: `SpeechRecognitionResult.language`.
  case languageDetection
  /// Translates into English.
  case translation
  /// Has its own settings: `SpeechRequest.engineOptions`.
  case engineOptions
}

/// A language that an engine detected in an utterance.
public struct SpokenLanguage: Hashable, Sendable {
  /// The value of a request's language with which an engine with
  /// `SpeechEngineCapability.languageDetection` finds the language of each utterance.
  public static let detected = "auto"

  /// The language, as a BCP 47 tag such as `es`.
  public var tag: String

  /// The probability that the engine assigns to the language, 0…1.
  public var probability: Double

  /// Creates a language with its probability.
  public init(_ tag: String, probability: Double) {
    (self.tag, self.probability) = (tag, probability)
  }
}

/// A phrase to detect in running speech.
public struct KeyPhrase: Hashable, Sendable {
  /// The words of the phrase, with a space between them.
  public var text: String

  /// The minimum likelihood of the phrase; nil to use the engine's default.
  ///
  /// It is above 0 and at most 1, on a scale of the engine. Lower values find more phrases, with
  /// more false positives.
  public var threshold: Double?

  /// Creates a phrase; without a threshold, the engine uses its own.
  public init(_ text: String, threshold: Double? = nil) {
    self.text = text
    self.threshold = threshold
  }
}

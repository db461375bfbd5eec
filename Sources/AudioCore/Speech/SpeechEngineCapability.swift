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

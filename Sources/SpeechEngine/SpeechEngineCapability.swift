/// What an engine can do besides dictation.
///
/// An engine may do it only with some models or options, and otherwise throws when a session is
/// made; what it does not list here, it never does.
public enum SpeechEngineCapability: String, CaseIterable, Sendable {
  /// Returns words before the utterance ends.
  case partialResults
  /// Recognizes only sentences of a JSGF grammar.
  case grammar
  /// Recognizes only given phrases.
  case keyPhrases
  /// Prefers alternatives with phrases that are likely to be said.
  case contextualPhrases
  /// Returns alternatives of an utterance.
  case alternatives
  /// Returns a confidence for each word.
  case confidence
  /// Measures word timestamps instead of estimating them.
  case wordTimes
  /// Has its own settings.
  case engineOptions
}

/// What an engine can do beside taking dictation.
///
/// An engine may do it with some models or options alone, and says so when a session is made; what
/// it does not list here it never does.
public enum SpeechEngineCapability: String, CaseIterable, Sendable {
  /// Tells words before the utterance ends.
  case partialResults
  /// Takes each utterance for a sentence of a JSGF grammar.
  case grammar
  /// Listens for phrases and nothing else.
  case keyPhrases
  /// Prefers readings with phrases that are likely to be said.
  case contextualPhrases
  /// Gives further readings of an utterance.
  case alternatives
  /// Says of each word how sure it is.
  case confidence
  /// Knows where each word lies, and does not estimate it.
  case wordTimes
  /// Has settings of its own.
  case engineOptions
}

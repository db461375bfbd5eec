public import FoundationEssentials

/// A grammar in the Java Speech Grammar Format (JSGF): only its sentences are recognized.
///
/// An engine makes any speech fit its grammar, so words that it does not have come out as words
/// that it has; such words have no confidence.
public enum SpeechGrammar: Hashable, Sendable {
  /// The grammar's text, from `#JSGF V1.0;` on.
  case text(String)
  /// A file or pipe that holds the grammar as UTF-8 text, 16 MiB at most; it is read when the task
  /// begins, on a thread of the task, whose stream ends with what is wrong with it.
  case file(URL)
}

import SpeechEngine

/// What a decoder searches for.
enum DecoderSearch: Hashable {
  /// Whatever the language model knows.
  case anything
  /// Sentences of a JSGF grammar.
  case grammar(String)
  /// Phrases, and nothing else.
  case keyPhrases([SpeechKeyPhrase])

  /// What the options of a session ask for.
  init(_ options: SpeechSessionOptions) throws(SpeechEngineError) {
    switch (options.grammar, options.keyPhrases) {
    case (nil, []): self = .anything
    case (let grammar?, []): self = .grammar(grammar)
    case (nil, let phrases):
      guard options.alternativeCount == 0 else {
        throw .unsupported("alternatives to key phrases", engine: "pocketsphinx")
      }
      self = .keyPhrases(phrases)
    default:
      throw .unsupported(
        "search for a grammar and for key phrases at once", engine: "pocketsphinx")
    }
  }

  /// Its name in PocketSphinx; nil for the search that every decoder begins with.
  var name: String? {
    switch self {
    case .anything: nil
    case .grammar: "syrinx-grammar"
    case .keyPhrases: "syrinx-phrases"
    }
  }

  var isKeyPhrases: Bool { if case .keyPhrases = self { true } else { false } }
}

import FoundationEssentials
import SpeechEngine

/// What may be said in a stream: anything, the sentences of a grammar, or key phrases in anything.
///
/// Vosk takes a list of phrases for a hint about the order of words: it may answer with one and a
/// half of them. So its answers are held against the list here.
enum AllowedSentences {
  typealias Words = [SpeechHypothesis.Word]

  case anything
  case sentences(Set<[String]>, beginnings: Set<[String]>)
  case keyPhrases([VoskKeyPhrase])

  /// The word of a model for what is none of its phrases.
  static let otherWord = "[unk]"

  /// - Throws: `.unsupported`, `.grammarInvalid`, `.wordUnknown`, `.optionInvalid`: what Vosk
  ///   cannot do, and what nobody can.
  init(_ options: SpeechSessionOptions, model: VoskModel) throws(SpeechEngineError) {
    try VoskLimits(model: model).check(options)
    if let grammar = options.grammar {
      let sentences = try JSGFGrammar(grammar).sentences { model.knows($0) }
      self = .sentences(
        sentences, beginnings: Set(sentences.flatMap { s in s.indices.map { Array(s[...$0]) } }))
    } else if !options.keyPhrases.isEmpty {
      self = .keyPhrases(
        try options.keyPhrases.map { phrase throws(SpeechEngineError) in
          try VoskKeyPhrase(phrase) { model.knows($0) }
        })
    } else {
      self = .anything
    }
  }

  /// The list for libvosk, a JSON array of texts; nil for anything.
  var json: String? {
    let phrases: [[String]]
    switch self {
    case .anything: return nil
    case .sentences(let sentences, _):
      phrases = sentences.sorted { $0.lexicographicallyPrecedes($1) }
    case .keyPhrases(let keys): phrases = keys.map(\.words) + [[Self.otherWord]]
    }
    let texts = phrases.map { $0.joined(separator: " ") }
    return (try? JSONEncoder().encode(texts)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// As much of an utterance that goes on as may be shown.
  func beginning(of words: Words) -> Words {
    switch self {
    case .anything: return words
    case .sentences(_, let beginnings):
      let count = (0...words.count).last {
        $0 == 0 || beginnings.contains(words.prefix($0).map(\.text))
      }
      return Array(words.prefix(count ?? 0))
    case .keyPhrases(let keys): return VoskKeyPhrase.found(keys, in: words)
    }
  }

  /// What an utterance comes to; nil where it is no sentence that may be said.
  func whole(_ words: Words) -> Words? {
    switch self {
    case .anything: return words
    case .sentences(let sentences, _): return sentences.contains(words.map(\.text)) ? words : nil
    case .keyPhrases(let keys): return VoskKeyPhrase.found(keys, in: words)
    }
  }
}

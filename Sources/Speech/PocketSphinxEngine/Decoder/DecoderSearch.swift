import AudioCore
import SpeechEngine

/// The kind of search of a decoder.
enum DecoderSearch: Hashable {
  /// Dictation: any words of the language model.
  case anything
  /// Sentences of a JSGF grammar.
  case grammar(String)
  /// Key phrases: only these phrases are recognized.
  case keyPhrases([KeyPhrase])

  /// Creates the search that a session's options request.
  init(_ options: SpeechSessionOptions) throws(SpeechEngineError) {
    switch (options.grammar, options.keyPhrases) {
    case (nil, []): self = .anything
    case (let grammar?, []): self = .grammar(grammar)
    case (nil, let phrases):
      guard options.alternativeCount == 0 else {
        throw .unsupported("alternatives for key phrases", engine: "pocketsphinx")
      }
      self = .keyPhrases(phrases)
    default:
      throw .unsupported("a grammar together with key phrases", engine: "pocketsphinx")
    }
  }

  /// The search's name in PocketSphinx; nil for the default search, which every decoder has.
  var name: String? {
    switch self {
    case .anything: nil
    case .grammar: "syrinx-grammar"
    case .keyPhrases: "syrinx-phrases"
    }
  }

  var isKeyPhrases: Bool { if case .keyPhrases = self { true } else { false } }

  /// Whether a vocabulary certainly contains all words of the search.
  func isWithin(_ vocabulary: Vocabulary) -> Bool {
    switch self {
    case .anything: true
    case .grammar(let grammar):
      grammar.utf8.split(separator: UInt8(ascii: ";")).allSatisfy {
        Self.words(of: $0)?.allSatisfy(vocabulary.contains) ?? false
      }
    case .keyPhrases(let phrases):
      phrases.allSatisfy {
        $0.text.utf8.split(separator: UInt8(ascii: " ")).allSatisfy {
          vocabulary.contains(WordHash(of: $0))
        }
      }
    }
  }

  /// Returns the words of a grammar's statement; nil if a comment may hide some of them.
  ///
  /// The result may also contain words of comments. It is empty for a header (`#JSGF` or
  /// `grammar`).
  private static func words(of statement: Substring.UTF8View) -> [WordHash]? {
    guard let words = tokens(of: statement) else { return nil }
    guard let first = words.first else { return [] }
    if first.elementsEqual("#JSGF".utf8) || first.elementsEqual("grammar".utf8) { return [] }
    return (first.elementsEqual("public".utf8) ? words.dropFirst() : words[...])
      .map { WordHash(of: $0) }
  }

  /// Returns a statement's tokens without rule names, tags, weights, or block comments.
  ///
  /// Returns nil if a `<`, `{`, or `/` that is probably in a comment may have hidden tokens.
  private static func tokens(of statement: Substring.UTF8View) -> [Substring.UTF8View]? {
    let (slash, lineFeed) = (UInt8(ascii: "/"), UInt8(ascii: "\n"))
    var hiddenUntil: UInt8?
    var isCertain = true
    let tokens = statement.split { byte in
      if let end = hiddenUntil {
        if byte == end {
          hiddenUntil = nil
        } else if byte == slash || byte == lineFeed {
          // A rule name or weight cannot contain a slash or line feed, and a tag rarely does. The
          // opening `<`, `{`, or `/` was therefore probably in a comment that has ended.
          isCertain = false
        }
        return true
      }
      switch byte {
      case UInt8(ascii: "<"): hiddenUntil = UInt8(ascii: ">")
      case UInt8(ascii: "{"): hiddenUntil = UInt8(ascii: "}")
      case slash: hiddenUntil = slash
      default: return byte <= UInt8(ascii: " ") || "=|*+()[]".utf8.contains(byte)
      }
      return true
    }
    return isCertain && hiddenUntil != slash ? tokens : nil
  }
}

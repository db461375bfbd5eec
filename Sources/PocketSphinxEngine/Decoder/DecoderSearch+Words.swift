import SpeechEngine

extension DecoderSearch {
  /// Whether all its words are in a vocabulary; in doubt they are not.
  func isWithin(_ vocabulary: Vocabulary) -> Bool {
    switch self {
    case .anything: true
    case .grammar(let grammar):
      grammar.utf8.split(separator: UInt8(ascii: ";")).allSatisfy {
        Self.words(of: $0).allSatisfy(vocabulary.contains)
      }
    case .keyPhrases(let phrases):
      phrases.allSatisfy {
        $0.text.utf8.split(separator: UInt8(ascii: " ")).allSatisfy {
          vocabulary.contains(WordHash(of: $0))
        }
      }
    }
  }

  /// The words of a statement of a grammar, and perhaps of its comments; none of one that nobody
  /// says.
  private static func words(of statement: Substring.UTF8View) -> [WordHash] {
    let words = tokens(of: statement)
    guard let first = words.first else { return [] }
    if first.elementsEqual("#JSGF".utf8) || first.elementsEqual("grammar".utf8) { return [] }
    return (first.elementsEqual("public".utf8) ? words.dropFirst() : words[...])
      .map { WordHash(of: $0) }
  }

  /// What stands between the marks of a grammar, but not within the brackets of rules and tags, nor
  /// within the strokes of weights and comments.
  private static func tokens(of statement: Substring.UTF8View) -> [Substring.UTF8View] {
    var hiddenUntil: UInt8?
    return statement.split { byte in
      if let end = hiddenUntil {
        if byte == end { hiddenUntil = nil }
        return true
      }
      switch byte {
      case UInt8(ascii: "<"): hiddenUntil = UInt8(ascii: ">")
      case UInt8(ascii: "{"): hiddenUntil = UInt8(ascii: "}")
      case UInt8(ascii: "/"): hiddenUntil = UInt8(ascii: "/")
      default: return byte <= UInt8(ascii: " ") || "=|*+()[]".utf8.contains(byte)
      }
      return true
    }
  }
}

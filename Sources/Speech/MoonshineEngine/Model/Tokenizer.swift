import SpeechEngine
import Synchronization

/// A piece of text in the model: the index of an entry in its tokenizer.
typealias Token = Int

/// The texts of a model's tokens, and their spellings, in which words are compared.
struct Tokenizer: Sendable {
  /// Stands before the first token.
  static let begin: Token = 1
  /// Stands after the last token.
  static let end: Token = 2

  /// The text of each token in UTF-8, with spaces; empty if the token stands for no text.
  let texts: [[UInt8]]
  private let index = SpellingIndex()

  /// Reads `tokenizer.bin`: for each token the length of its text and the text.
  ///
  /// - Throws: `ModelDamage` with the reason that the file cannot be used.
  init(_ bytes: [UInt8]) throws(ModelDamage) {
    var texts: [[UInt8]] = []
    var rest = bytes[...]
    while let length = rest.popFirst() {
      var length = Int(length)
      if length >= 128, let further = rest.popFirst() { length += (Int(further) - 1) * 128 }
      guard length <= rest.count else {
        throw ModelDamage("it ends within token \(texts.count)")
      }
      texts.append(Self.withSpaces(rest.prefix(length)))
      rest.removeFirst(length)
    }
    guard texts.count > Self.end, texts[Self.begin] == Array("<s>".utf8),
      texts[Self.end] == Array("</s>".utf8)
    else { throw ModelDamage("its tokens do not begin with <unk>, <s>, and </s>") }
    for special in 0...Self.end { texts[special] = [] }
    self.init(texts: texts)
  }

  /// A tokenizer from the texts of its tokens.
  init(texts: [[UInt8]]) {
    self.texts = texts
  }

  /// The tokens whose text has an empty spelling, such as apostrophes.
  var apostrophes: [Token] { index.spellings(of: texts).apostrophes }

  /// The form of a token's text in which words are compared.
  func spelling(of token: Token) -> [UInt8] { Spelling.ofToken(texts[token]) }

  /// The text of several tokens.
  func text(of tokens: some Sequence<Token>) -> String {
    String(decoding: tokens.flatMap { texts[$0] }, as: UTF8.self)
  }

  /// Tokenizers of this kind write a space as U+2581.
  private static func withSpaces(_ text: ArraySlice<UInt8>) -> [UInt8] {
    let mark: [UInt8] = [0xE2, 0x96, 0x81]
    var spaced: [UInt8] = []
    spaced.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.first {
      let isMark = byte == mark[0] && rest.starts(with: mark)
      spaced.append(isMark ? UInt8(ascii: " ") : byte)
      rest.removeFirst(isMark ? mark.count : 1)
    }
    return spaced
  }
}

/// The spellings of all tokens, made at the first use: only phrases and grammars need them, and they
/// take longer than loading the texts.
private final class SpellingIndex: Sendable {
  struct Spellings {
    let ofToken: [[UInt8]]
    let apostrophes: [Token]
    /// The tokens that have a spelling, in the order of their spellings.
    let sorted: [Token]
  }

  // Held while they are made, because every waiting thread needs them.
  private let made = Mutex<Spellings?>(nil)

  func spellings(of texts: [[UInt8]]) -> Spellings {
    made.withLock { made in
      if let made { return made }
      let spellings = texts.map { Spelling.ofToken($0) }
      let new = Spellings(
        ofToken: spellings,
        apostrophes: texts.indices.filter { !texts[$0].isEmpty && spellings[$0].isEmpty },
        sorted: spellings.indices.filter { !spellings[$0].isEmpty }
          .sorted { spellings[$0].lexicographicallyPrecedes(spellings[$1]) })
      made = new
      return new
    }
  }
}

/// Reads text byte by byte, and stops where the text does not match.
protocol SpellingReader {
  /// The reader after the next byte; nil if that byte cannot follow.
  func reading(_ byte: UInt8) -> Self?
}

extension Tokenizer {
  /// Every token that a reader accepts as a whole, with the reader after it.
  func tokens<Reader: SpellingReader>(readBy reader: Reader) -> [(token: Token, reader: Reader)] {
    var found: [(Token, Reader)] = []
    let spellings = index.spellings(of: texts)
    spellings.collect(spellings.sorted[...], depth: 0, reader, into: &found)
    return found
  }
}

extension SpellingIndex.Spellings {
  /// - Parameter range: the tokens whose first `depth` bytes have been read.
  func collect<Reader: SpellingReader>(
    _ range: ArraySlice<Token>, depth: Int, _ reader: Reader, into found: inout [(Token, Reader)]
  ) {
    var rest = range
    // Shorter spellings come first.
    while let token = rest.first, ofToken[token].count == depth {
      found.append((token, reader))
      rest.removeFirst()
    }
    while let token = rest.first {
      let byte = ofToken[token][depth]
      let end = rest.partitioningIndex { ofToken[$0][depth] > byte }
      if let next = reader.reading(byte) {
        collect(rest[..<end], depth: depth + 1, next, into: &found)
      }
      rest = rest[end...]
    }
  }
}

extension ArraySlice {
  /// The first index from which all elements meet a condition; those that meet it must come last.
  fileprivate func partitioningIndex(where meets: (Element) -> Bool) -> Index {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if meets(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// The form of text in which words are compared: in lower case, with all punctuation marks equal
/// and none within a word.
enum Spelling {
  static let space = UInt8(ascii: " ")
  /// Stands for any punctuation mark.
  static let mark = UInt8(ascii: ",")

  /// The spelling of a token's text, which may be a part of a character.
  static func ofToken(_ text: [UInt8]) -> [UInt8] {
    // Most of a model's tokens.
    if text.allSatisfy({ asciiWords[Int($0)] != 0 }) { return text.map { asciiWords[Int($0)] } }
    guard let text = String(validating: text, as: UTF8.self) else { return text }
    return text.flatMap { character -> [UInt8] in
      if character == " " { return [space] }
      if isApostrophe(character) { return [] }
      return isMark(character) ? [mark] : Array(character.lowercased().utf8)
    }
  }

  /// ASCII letters in lower case, digits, and space; 0 for all others.
  private static let asciiWords: [UInt8] = (0...255).map { (byte: UInt8) in
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), space: byte
    default: 0
    }
  }

  /// The spelling of words with one space between them and none around; a hyphen is a space as well.
  static func ofWords(_ text: some StringProtocol) -> [UInt8] {
    let words = text.lowercased().filter { !isApostrophe($0) }
      .split { $0.isWhitespace || isMark($0) }
    return Array(words.joined(separator: " ").utf8)
  }

  /// Whether a text is audible, not only visible.
  static func isSpoken(_ text: some StringProtocol) -> Bool {
    text.contains { !$0.isWhitespace && !isMark($0) && !isApostrophe($0) }
  }

  private static func isApostrophe(_ character: Character) -> Bool {
    character == "'" || character == "\u{2019}"
  }

  private static func isMark(_ character: Character) -> Bool {
    // Spoken, such as "percent".
    !"%&@#*/".contains(character) && character.isPunctuation || character == "\u{266A}"
  }
}

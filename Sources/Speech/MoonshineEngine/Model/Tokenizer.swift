import SpeechEngine
import Synchronization

/// A token of the model: the index of an entry in its tokenizer.
typealias Token = Int

/// The texts of a model's tokens, and the spellings by which words are compared.
final class Tokenizer: Sendable {
  /// The token before the first token of a text.
  static let begin: Token = 1
  /// The token after the last token of a text.
  static let end: Token = 2

  /// The text of each token in UTF-8, with spaces; empty if the token stands for no text.
  let texts: [[UInt8]]
  // Computed at the first use: only phrases and grammars need the spellings, and computing the
  // spellings takes longer than loading the texts. The lock is held during the computation, because
  // every waiting thread needs the spellings.
  private let madeSpellings = Mutex<Spellings?>(nil)

  /// Reads `tokenizer.bin`: for each token, the length of its text and the text.
  ///
  /// - Throws: `ModelDamage` with the reason that the file cannot be used.
  convenience init(_ bytes: [UInt8]) throws(ModelDamage) {
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

  /// Creates a tokenizer from the texts of its tokens.
  init(texts: [[UInt8]]) {
    self.texts = texts
  }

  /// The tokens that have a text but an empty `spelling(of:)`, such as apostrophes.
  var apostrophes: [Token] { spellings.apostrophes }

  /// Returns the form of a token's text by which words are compared.
  func spelling(of token: Token) -> [UInt8] { texts[token].tokenSpelling }

  /// Returns the text of several tokens.
  func text(of tokens: some Sequence<Token>) -> String {
    String(decoding: tokens.flatMap { texts[$0] }, as: UTF8.self)
  }

  /// Replaces U+2581, which stands for a space in tokenizers of this kind, with a space.
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

extension Tokenizer {
  /// The spellings of all tokens; the tokens whose spelling is empty; and all other tokens, sorted
  /// by their spellings.
  fileprivate typealias Spellings = (
    ofToken: [[UInt8]], apostrophes: [Token], sorted: [Token]
  )

  private var spellings: Spellings {
    madeSpellings.withLock { [texts] made in
      if let made { return made }
      let spellings = texts.map(\.tokenSpelling)
      let new: Spellings = (
        ofToken: spellings,
        apostrophes: texts.indices.filter { !texts[$0].isEmpty && spellings[$0].isEmpty },
        sorted: spellings.indices.filter { !spellings[$0].isEmpty }
          .sorted { spellings[$0].lexicographicallyPrecedes(spellings[$1]) }
      )
      made = new
      return new
    }
  }

  /// Returns every token whose whole spelling `reader` can read, each with the reader after that
  /// token.
  ///
  /// A reader reads a text byte by byte, like the progress in a grammar. `next` returns the reader
  /// after a byte; nil if that byte cannot follow.
  func tokens<Reader>(
    readBy reader: Reader, reading next: (Reader, UInt8) -> Reader?
  ) -> [(token: Token, reader: Reader)] {
    var found: [(Token, Reader)] = []
    let spellings = spellings
    Self.collect(
      spellings.sorted[...], of: spellings.ofToken, depth: 0, reader, next, into: &found)
    return found
  }

  /// Collects the tokens in `range` whose remaining spelling `reader` can read.
  ///
  /// - Parameters:
  ///   - range: tokens whose first `depth` bytes are equal and have been read.
  ///   - spellings: the spellings of all tokens.
  ///   - depth: the number of bytes that have been read.
  ///   - reader: the reader after these bytes.
  ///   - reading: returns the reader after a byte; nil if the reader does not accept the byte.
  ///   - found: the accepted tokens, each with the reader after that token.
  private static func collect<Reader>(
    _ range: ArraySlice<Token>, of spellings: [[UInt8]], depth: Int, _ reader: Reader,
    _ reading: (Reader, UInt8) -> Reader?, into found: inout [(Token, Reader)]
  ) {
    var rest = range
    // The tokens are sorted by spelling, so tokens whose spelling ends here come first.
    while let token = rest.first, spellings[token].count == depth {
      found.append((token, reader))
      rest.removeFirst()
    }
    while let token = rest.first {
      let byte = spellings[token][depth]
      let end = rest.partitioningIndex { spellings[$0][depth] > byte }
      if let next = reading(reader, byte) {
        collect(
          rest[..<end], of: spellings, depth: depth + 1, next, reading, into: &found)
      }
      rest = rest[end...]
    }
  }
}

extension ArraySlice {
  /// Returns the first index whose element meets a condition; all elements that meet the condition
  /// must be at the end.
  fileprivate func partitioningIndex(where meets: (Element) -> Bool) -> Index {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if meets(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// The spelling by which texts are compared, in lower case and without punctuation marks.
extension StringProtocol {
  /// The words in lower case without punctuation marks, with single spaces between them; a hyphen
  /// counts as a space.
  var spelling: [UInt8] {
    let words = lowercased().filter { !$0.isApostrophe }.split { $0.isWhitespace || $0.isMark }
    return Array(words.joined(separator: " ").utf8)
  }

  /// Whether the text contains anything that is spoken, not only spaces and punctuation marks.
  var isSpoken: Bool { contains { !$0.isWhitespace && !$0.isMark && !$0.isApostrophe } }
}

extension [UInt8] {
  /// The token's UTF-8 bytes in normalized spelling: lowercase, without apostrophes, with one byte
  /// for any punctuation mark.
  ///
  /// Bytes that begin or end within a character are returned unchanged.
  var tokenSpelling: [UInt8] {
    // A fast path for most of a model's tokens.
    if allSatisfy({ spellingsOfASCIIWords[Int($0)] != 0 }) {
      return map { spellingsOfASCIIWords[Int($0)] }
    }
    guard let text = String(validating: self, as: UTF8.self) else { return self }
    return text.flatMap { character -> [UInt8] in
      if character == " " { return [.space] }
      if character.isApostrophe { return [] }
      return character.isMark ? [.mark] : Array(character.lowercased().utf8)
    }
  }
}

extension UInt8 {
  /// The space in a spelling.
  static let space = UInt8(ascii: " ")
  /// The byte that stands for any punctuation mark in a spelling.
  static let mark = UInt8(ascii: ",")
}

/// The spelling of each ASCII letter, digit, and space; 0 for all other bytes.
private let spellingsOfASCIIWords: [UInt8] = (0...255).map { (byte: UInt8) in
  switch byte {
  case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), .space: byte
  default: 0
  }
}

extension Character {
  fileprivate var isApostrophe: Bool { self == "'" || self == "\u{2019}" }

  fileprivate var isMark: Bool {
    // These signs are spoken, as in "percent", so they are not punctuation marks.
    !"%&@#*/".contains(self) && isPunctuation || self == "\u{266A}"
  }
}

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

  /// Whether it is audible, not only visible.
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

/// A pressed key.
public enum Key: Hashable, Sendable {
  case character(Character)
  case up
  case down
  case enter
  case escape
  case backspace
  case interrupt
}

/// Decodes the bytes that a terminal in raw mode sends.
struct KeyDecoder {
  /// The first bytes of a character whose other bytes have not arrived yet.
  private var pending: [UInt8] = []

  /// Returns the keys whose bytes are complete, including earlier pending bytes.
  ///
  /// Unknown escape sequences, control characters, and bytes that are not UTF-8 are skipped.
  mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    let count = Self.completeCount(of: pending)
    let text = String(decoding: pending.prefix(count), as: UTF8.self)
    pending.removeFirst(count)
    return Self.keys(in: text)
  }

  /// Returns the number of bytes before an incomplete character at the end.
  private static func completeCount(of bytes: [UInt8]) -> Int {
    guard let lead = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return bytes.count }
    let length =
      switch bytes[lead] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    return bytes.count - lead < length ? lead : bytes.count
  }

  private static func keys(in text: String) -> [Key] {
    var (keys, rest) = ([Key](), text[...])
    while let next = rest.popFirst() {
      switch next {
      case "\u{1B}" where rest.first == "[":
        let end = rest.dropFirst().firstIndex { $0.isLetter || $0 == "~" } ?? rest.endIndex
        let name = rest[end...].first
        rest = rest[end...].dropFirst()
        if name == "A" { keys.append(.up) } else if name == "B" { keys.append(.down) }
      case "\u{1B}": keys.append(.escape)
      case "\r", "\n", "\r\n": keys.append(.enter)
      case "\u{7F}", "\u{8}": keys.append(.backspace)
      case "\u{3}": keys.append(.interrupt)
      // The replacement character stands for bytes that are not UTF-8.
      default: if next.isPrintable, next != "\u{FFFD}" { keys.append(.character(next)) }
      }
    }
    return keys
  }
}

extension Character {
  /// Whether the text contains no control character.
  var isPrintable: Bool {
    unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }
}

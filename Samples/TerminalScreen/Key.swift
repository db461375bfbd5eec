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
  /// The beginning of a character whose other bytes have not arrived.
  private var pending: [UInt8] = []

  /// The keys that the bytes complete; unknown escape sequences and control characters are skipped.
  mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    guard let text = String(validating: pending, as: UTF8.self) else {
      // A character has at most four bytes: more are no text.
      if pending.count > 256 { pending = [] }
      return []
    }
    pending = []
    return Self.keys(in: text)
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
      default: if next.isPrintable { keys.append(.character(next)) }
      }
    }
    return keys
  }
}

extension Character {
  fileprivate var isPrintable: Bool {
    unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }
}

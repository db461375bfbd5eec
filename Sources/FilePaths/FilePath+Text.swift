/// A path as a text, in two forms: `text` for programs, from which the path comes back, and
/// `description` for people.
extension FilePath: CustomStringConvertible, ExpressibleByStringLiteral, Encodable {
  /// The path that `text` stands for.
  package init(_ text: String) {
    guard text.utf8.contains(Self.firstOfEscaped) else {
      bytes = Array(text.utf8)
      return
    }
    bytes = text.unicodeScalars.flatMap { scalar in
      scalar.escapedByte.map { [$0] } ?? Array(String(scalar).utf8)
    }
  }

  package init(stringLiteral text: String) {
    self.init(text)
  }

  /// The path as a text.
  ///
  /// A byte that is not UTF-8 is the private character U+EF00 + byte, and so is each byte of such a
  /// character that the path has itself: no two paths have the same text.
  package var text: String {
    if !bytes.contains(Self.firstOfEscaped), let text = String(validating: bytes, as: UTF8.self) {
      return text
    }
    var text = String.UnicodeScalarView()
    var (parser, rest, position) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator(), 0)
    while true {
      let length: Int
      switch parser.parseScalar(from: &rest) {
      case .emptyInput: return String(text)
      case .error(let count): length = count
      case .valid(let encoded):
        let scalar = UTF8.decode(encoded)
        length = encoded.count
        if scalar.escapedByte == nil {
          text.append(scalar)
          position += length
          continue
        }
      }
      text += bytes[position..<(position + length)].map(Unicode.Scalar.init(escaping:))
      position += length
    }
  }

  /// The first byte of each character that stands for a byte; without it, text and path are equal.
  private static var firstOfEscaped: UInt8 { 0xEE }

  /// The path on one line and without anything that a terminal obeys: `\n`, `\x1B`, `\u{202E}`; a
  /// byte that is not UTF-8 is `\xE9`, and a backslash `\\`.
  package var description: String {
    let text = text
    if text.isPlain, !bytes.contains(UInt8(ascii: "\\")) { return text }
    return text.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      default: text += scalar.printable
      }
    }
  }

  /// Encodes `text`.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

extension String {
  /// The text for people, with line feeds and tabs, and without anything else that a terminal
  /// obeys, which is escaped as in the description of a path.
  package var printable: String {
    if utf8.allSatisfy({ $0.isPlain || $0 == UInt8(ascii: "\n") }) { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      text += scalar == "\n" || scalar == "\t" ? String(scalar) : scalar.printable
    }
  }

  /// Whether it is printable ASCII, as most texts are: there is nothing to escape.
  package var isPlain: Bool { utf8.allSatisfy(\.isPlain) }
}

extension UInt8 {
  fileprivate var isPlain: Bool { (0x20...0x7E).contains(self) }
}

extension Unicode.Scalar {
  /// Whether it is not displayed but moves, colors, or reverses the text around it.
  package var isControl: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: properties.isBidiControl
    }
  }

  /// The character that stands in a text for a byte from 0x80 on.
  fileprivate init(escaping byte: UInt8) {
    // Never the other one: U+EF80 to U+EFFF are characters.
    self = Unicode.Scalar(0xEF00 + UInt32(byte)) ?? "\u{FFFD}"
  }

  /// The byte that this character stands for.
  fileprivate var escapedByte: UInt8? {
    (0xEF80...0xEFFF).contains(value) ? UInt8(truncatingIfNeeded: value) : nil
  }

  fileprivate var printable: String {
    if let byte = escapedByte ?? (isControl && isASCII ? UInt8(value) : nil) {
      return "\\x" + byte.hexadecimal
    }
    return isControl ? "\\u{\(String(value, radix: 16, uppercase: true))}" : String(self)
  }
}

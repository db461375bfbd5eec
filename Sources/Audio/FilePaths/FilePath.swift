package import FoundationEssentials
import Glibc

/// The path of a file as the system stores it: bytes, which are usually but not necessarily UTF-8.
///
/// A `URL` percent-encodes bytes that are not UTF-8, but Foundation returns no path for such a URL.
/// Use `withCString` to call the system with a URL, and `description` to display a path.
package struct FilePath: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  /// Creates the path of a URL, without a slash at its end.
  ///
  /// %00 and %2F stay encoded, as in `URL.path`, because no file name can contain these bytes.
  package init(_ url: URL) {
    var bytes: [UInt8] = []
    var rest = url.path(percentEncoded: true).utf8[...]
    while let first = rest.popFirst() {
      let code = rest.prefix(2)
      if first == UInt8(ascii: "%"), let byte = UInt8(Substring(code), radix: 16),
        code.count == 2, byte != 0, byte != UInt8(ascii: "/")
      {
        bytes.append(byte)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(first)
      }
    }
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    self.bytes = bytes
  }

  /// The absolute URL; a relative path begins in the current folder, and `~` is an ordinary name.
  package var url: URL {
    var encoded = "file://"
    for byte in absolute.bytes {
      encoded += Self.plain.contains(byte) ? String(UnicodeScalar(byte)) : "%" + byte.hexadecimal
    }
    // The fallback is never used, because the text contains only characters that a URL permits.
    return URL(string: encoded) ?? URL(filePath: text)
  }

  /// The absolute path; a relative path begins in the current folder.
  package var absolute: FilePath { isAbsolute ? self : Self.currentFolder.appending(self) }

  /// The bytes that the path of a URL contains without percent-encoding.
  private static let plain = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/".utf8)

  private static var currentFolder: FilePath {
    // A removed current folder has no path, but this link still leads to it.
    guard let folder = getcwd(nil, 0) else { return "/proc/self/cwd" }
    defer { free(folder) }
    return FilePath(cString: folder)
  }

  /// Creates a path from a C string.
  package init(cString: UnsafePointer<CChar>) {
    bytes = UnsafeBufferPointer(start: cString, count: strlen(cString)).map(UInt8.init(bitPattern:))
  }

  /// Calls `body` with the path as a C string.
  package func withCString<Value, Failure>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let characters = bytes.map(CChar.init(bitPattern:)) + [0]
    return try body(characters)
  }
}

extension FilePath {
  package var isAbsolute: Bool { bytes.first == UInt8(ascii: "/") }

  /// Returns the path of a file in this folder.
  package func appending(_ name: FilePath) -> FilePath {
    var name = name.bytes[...]
    while name.starts(with: "./".utf8), name.count > 2 { name = name.dropFirst(2) }
    let separator = bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
    return FilePath(bytes: bytes + separator + name)
  }

  /// The folder that contains the file.
  package var folder: FilePath {
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == 0 ? "/" : FilePath(bytes: bytes[..<slash])
  }

  /// The last component of the path.
  package var name: FilePath {
    FilePath(bytes: bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...])
  }

  /// The name without its extension and the dot before the extension.
  package var stem: FilePath { FilePath(bytes: name.bytes[..<dot]) }

  /// The part of the name after its last dot; empty if there is none.
  package var pathExtension: String { FilePath(bytes: name.bytes[dot...].dropFirst()).text }

  /// The index of the dot before the extension.
  ///
  /// A leading dot marks a hidden file, and a trailing dot belongs to the name.
  private var dot: Int {
    let name = name.bytes
    let dot = name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? $0 : nil }
    return dot.flatMap { $0 < name.count - 1 ? $0 : nil } ?? name.count
  }
}

extension UInt8 {
  /// The byte as two hexadecimal digits.
  var hexadecimal: String { (self < 16 ? "0" : "") + String(self, radix: 16, uppercase: true) }
}

/// A path as text in two forms: `text`, which can be converted back, and `description` for display.
extension FilePath: CustomStringConvertible, ExpressibleByStringLiteral, Encodable {
  /// Creates the path that `text` represents.
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

  /// The path as text.
  ///
  /// A byte that is not UTF-8 becomes the private character U+EF00 + byte. If the path itself
  /// contains such a character, each of its bytes is converted, too, so no two paths have the same
  /// text.
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

  /// The first UTF-8 byte of each character that represents a non-UTF-8 byte.
  ///
  /// A path without this byte equals its `text`.
  private static var firstOfEscaped: UInt8 { 0xEE }

  /// The path on one line.
  ///
  /// Control characters are escaped, as in `\n`, `\x1B`, or `\u{202E}`. So are bytes that are not
  /// UTF-8, as in `\xE9`, and backslashes, as in `\\`.
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
  /// The text for display: line feeds and tabs are kept, and other terminal control characters are
  /// escaped as in the description of a path.
  package var printable: String {
    if utf8.allSatisfy({ $0.isPlain || $0 == UInt8(ascii: "\n") }) { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      text += scalar == "\n" || scalar == "\t" ? String(scalar) : scalar.printable
    }
  }

  /// The text for display on one line: line feeds and tabs are escaped too, as `\n` and `\t`.
  ///
  /// Use it for untrusted text in a line of a log, a table, or a message.
  package var printableLine: String {
    if isPlain { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      default: text += scalar.printable
      }
    }
  }

  /// Returns the text for display on one line of at most `length` characters; a longer text ends
  /// with `…`.
  package func printableLine(atMost length: Int) -> String {
    guard length > 0 else { return "" }
    // Limits the scalars, because a character may have any number of scalars, and then the
    // characters, because an escaped scalar becomes several characters.
    let beginning = unicodeScalars.prefix(length)
    let line = String(beginning).printableLine
    let isWhole = beginning.endIndex == unicodeScalars.endIndex && line.count <= length
    return isWhole ? line : String(line.prefix(length - 1)) + "…"
  }

  /// Whether the text is printable ASCII, as most texts are, so nothing needs escaping.
  package var isPlain: Bool { utf8.allSatisfy(\.isPlain) }
}

extension UInt8 {
  fileprivate var isPlain: Bool { (0x20...0x7E).contains(self) }
}

extension Unicode.Scalar {
  /// Whether the character is invisible and moves, colors, or reverses the text around it.
  package var isControl: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: properties.isBidiControl
    }
  }

  /// Creates the character that represents a byte from 0x80 on.
  fileprivate init(escaping byte: UInt8) {
    // The fallback is never used, because U+EF80 to U+EFFF are valid characters.
    self = Unicode.Scalar(0xEF00 + UInt32(byte)) ?? "\u{FFFD}"
  }

  /// The byte that this character represents.
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

extension [String: String] {
  /// Returns the value of an environment variable that is set and not empty.
  package func nonEmpty(_ name: String) -> String? {
    self[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}

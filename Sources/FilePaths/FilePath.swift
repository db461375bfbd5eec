package import FoundationEssentials
import Glibc

/// The path of a file as the system has it: bytes, which are UTF-8 by custom only.
///
/// `URL` carries such bytes percent-encoded, but Foundation gives no path of a URL that is not
/// UTF-8. Use `withCString` to call the system with a URL, and `description` to show one to people.
package struct FilePath: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  /// The path that a URL leads to, without a slash at its end.
  ///
  /// %00 and %2F stay as they are, as in `URL.path`: no name has these bytes.
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

  /// An absolute URL; a relative path begins in the current folder, and `~` is a name like others.
  package var url: URL {
    var encoded = "file://"
    for byte in absolute.bytes {
      encoded += Self.plain.contains(byte) ? String(UnicodeScalar(byte)) : "%" + byte.hexadecimal
    }
    // Never nil: there is nothing in it but what a URL may have.
    return URL(string: encoded) ?? URL(filePath: text)
  }

  /// The same path from the root; a relative one begins in the current folder.
  package var absolute: FilePath { isAbsolute ? self : Self.currentFolder.appending(self) }

  /// The bytes that the path of a URL contains without percent-encoding.
  private static let plain = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/".utf8)

  private static var currentFolder: FilePath {
    // A folder that has been removed has no path; the system knows it still.
    guard let folder = getcwd(nil, 0) else { return "/proc/self/cwd" }
    defer { free(folder) }
    return FilePath(cString: folder)
  }

  /// The path that ends with a zero, as C has it.
  package init(cString: UnsafePointer<CChar>) {
    bytes = UnsafeBufferPointer(start: cString, count: strlen(cString)).map(UInt8.init(bitPattern:))
  }

  /// Calls `body` with the path as C takes it.
  package func withCString<Value, Failure>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let characters = bytes.map(CChar.init(bitPattern:)) + [0]
    return try body(characters)
  }
}

extension FilePath {
  package var isAbsolute: Bool { bytes.first == UInt8(ascii: "/") }

  /// The path of a file in this folder.
  package func appending(_ name: FilePath) -> FilePath {
    var name = name.bytes[...]
    while name.starts(with: "./".utf8), name.count > 2 { name = name.dropFirst(2) }
    let separator = bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
    return FilePath(bytes: bytes + separator + name)
  }

  /// The folder that the file is in.
  package var folder: FilePath {
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == 0 ? "/" : FilePath(bytes: bytes[..<slash])
  }

  /// The name in its folder.
  package var name: FilePath {
    FilePath(bytes: bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...])
  }

  /// The name without its extension and the dot before that.
  package var stem: FilePath { FilePath(bytes: name.bytes[..<dot]) }

  /// The part of the name after its last dot; empty if there is none.
  package var pathExtension: String { FilePath(bytes: name.bytes[dot...].dropFirst()).text }

  /// Where the extension begins; a dot at the beginning hides the file, and at the end it is a part
  /// of the name.
  private var dot: Int {
    let name = name.bytes
    let dot = name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? $0 : nil }
    return dot.flatMap { $0 < name.count - 1 ? $0 : nil } ?? name.count
  }
}

extension UInt8 {
  /// Two digits.
  var hexadecimal: String { (self < 16 ? "0" : "") + String(self, radix: 16, uppercase: true) }
}

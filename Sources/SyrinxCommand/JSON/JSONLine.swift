import FilePaths
import Foundation

extension Encodable {
  /// The value as JSON on one line, the keys in alphabetical order; nothing in it moves a terminal.
  func jsonLine() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let line = String(decoding: try encoder.encode(self), as: UTF8.self)
    return line.unicodeScalars.reduce(into: "") { line, scalar in
      line += scalar.isControl ? String(format: "\\u%04x", scalar.value) : String(scalar)
    }
  }
}

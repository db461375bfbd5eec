import Foundation
import TestTools

/// A file of the package: its path from the package's root, and its text.
struct SourceFile: Equatable {
  var path: String
  var text: String

  /// Returns all files below a directory, sorted by path; none if the directory does not exist.
  static func files(below directory: String) throws -> [SourceFile] {
    let top = Checkout.file(directory)
    guard FileManager.default.fileExists(atPath: top.path) else { return [] }
    return try FileManager.default.subpathsOfDirectory(atPath: top.path).sorted().compactMap {
      let url = top.appending(path: $0)
      var isDirectory: ObjCBool = false
      guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory),
        !isDirectory.boolValue
      else { return nil }
      // Bytes that are not UTF-8 are replaced, which is harmless, because no rule looks for them.
      return SourceFile(
        path: "\(directory)/\($0)", text: String(decoding: try Data(contentsOf: url), as: UTF8.self)
      )
    }
  }

  /// The target of a file in `Sources`: `SoundFile` for "Sources/Audio/SoundFile/Handle.swift".
  ///
  /// `Sources/Syrinx` and `Sources/SyrinxTestSupport` are targets themselves.
  var target: String? {
    let parts = path.split(separator: "/").map(String.init)
    guard parts.count > 2, parts[0] == "Sources" else { return nil }
    if parts[1].hasPrefix("Syrinx") { return parts[1] }
    return parts.count > 3 ? parts[2] : nil
  }

  var name: String { String(path.split(separator: "/").last ?? "") }

  /// The lines that are not comments.
  var code: [Substring] {
    text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
  }

  /// The text of all comment lines, joined because a phrase may continue on the next line.
  var comments: String {
    text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("//") }
      .map { $0.drop { $0 == "/" || $0 == " " } }.joined(separator: " ")
  }

  /// The function names that are in backticks.
  var testNames: [String] {
    text.matches(of: /func\s+`([^`]+)`/).map { String($0.1) }
  }

  /// The modules that the file imports.
  var imports: Set<String> {
    Set(
      text.split(separator: "\n").compactMap { line in
        // "@testable import A", "public import struct A.B"
        let words = line.split { $0 == " " || $0 == "." }
        guard let keyword = words.prefix(3).firstIndex(of: "import") else { return nil }
        let kinds: Set<Substring> = ["class", "enum", "func", "protocol", "struct", "var"]
        return words[(keyword + 1)...].first { !kinds.contains($0) }.map(String.init)
      })
  }
}

/// A Swift block in a document.
struct Snippet: Equatable {
  var document: String
  /// The number of the block's first line, counted from 1.
  var line: Int
  var code: Code
}

/// The lines of Swift code that are compared: without indentation, blank lines, and lines that
/// contain only a comment.
struct Code: Equatable {
  /// The imports, compared separately: a file has them at the top, and may have more than a
  /// snippet.
  var imports: Set<Substring> = []
  var lines: [Substring] = []

  init(_ source: some Collection<Substring>) {
    for line in source {
      let line = line.trimmingSpaces
      if line.isEmpty || line.hasPrefix("//") { continue }
      if line.hasPrefix("import ") || line.hasPrefix("public import ") {
        imports.insert(line)
      } else {
        lines.append(line)
      }
    }
  }

  init(_ source: String) {
    self.init(source.split(separator: "\n", omittingEmptySubsequences: false))
  }

  /// Returns whether the lines of `other` occur here consecutively, and its imports anywhere.
  func contains(_ other: Code) -> Bool {
    imports.isSuperset(of: other.imports) && (other.lines.isEmpty || lines.contains(other.lines))
  }
}

extension Substring {
  /// The text without spaces at both ends.
  var trimmingSpaces: Substring {
    var rest = drop { $0 == " " }
    while rest.last == " " { rest.removeLast() }
    return rest
  }
}

/// A block of Swift in a document.
struct Snippet: Equatable {
  var document: String
  /// The line of the block's first line, from 1.
  var line: Int
  var code: Code
}

/// The lines of some Swift, as far as they are compared: without indentation, blank lines, and
/// lines that are nothing but a comment.
struct Code: Equatable {
  /// The imports, which a file has at its top, whatever stands there besides.
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

  /// Whether all of some other code is here, line after line.
  func contains(_ other: Code) -> Bool {
    imports.isSuperset(of: other.imports) && (other.lines.isEmpty || lines.contains(other.lines))
  }
}

extension Substring {
  /// Without spaces at both ends.
  var trimmingSpaces: Substring {
    var rest = drop { $0 == " " }
    while rest.last == " " { rest.removeLast() }
    return rest
  }
}

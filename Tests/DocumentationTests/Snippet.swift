/// A block of Swift in a document.
struct Snippet: Equatable {
  var document: String
  /// The line of the block's first line, from 1.
  var line: Int
  var code: Code
}

/// The lines of some Swift, as far as they are compared: without indentation, blank lines and lines
/// that are nothing but a comment.
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

/// A text with blocks of code, each between two lines of three backticks.
struct Document {
  var name: String
  var text: String

  /// The blocks that say that they are Swift.
  var snippets: [Snippet] {
    snippets(of: text.split(separator: "\n", omittingEmptySubsequences: false))
  }

  private func snippets(of lines: [Substring]) -> [Snippet] {
    var found: [Snippet] = []
    var opening: (index: Int, language: Substring)?
    for (index, line) in lines.enumerated() where line.hasPrefix("```") {
      if let (start, language) = opening {
        if language == "swift" {
          found.append(
            Snippet(document: name, line: start + 2, code: Code(lines[start + 1..<index])))
        }
        opening = nil
      } else {
        opening = (index, line.dropFirst(3))
      }
    }
    return found
  }

  /// The part below a heading of the second level, up to the next one.
  func section(_ heading: String) -> Document {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let start = lines.firstIndex(of: "## \(heading)") else {
      return Document(name: name, text: "")
    }
    // Lines above stay as blank ones, so that those below keep their numbers.
    let body = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
    let above = Array(repeating: Substring(), count: start + 1)
    return Document(name: name, text: (above + body).joined(separator: "\n"))
  }
}

extension Substring {
  fileprivate var trimmingSpaces: Substring {
    var rest = drop { $0 == " " }
    while rest.last == " " { rest.removeLast() }
    return rest
  }
}

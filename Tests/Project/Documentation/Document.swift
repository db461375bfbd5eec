/// A text with code blocks between lines of three backticks.
struct Document {
  var name: String
  var lines: [Substring]

  init(name: String, lines: [Substring]) {
    self.name = name
    self.lines = lines
  }

  init(name: String, text: String) {
    self.init(name: name, lines: text.split(separator: "\n", omittingEmptySubsequences: false))
  }

  /// Creates a document from the documentation comments of Swift source; all other lines become
  /// blank, so that line numbers stay the same.
  init(name: String, commentsOf source: String) {
    self.init(name: name, text: source)
    lines = lines.map { line in
      let line = line.trimmingSpaces
      guard line.hasPrefix("///") else { return "" }
      return line.dropFirst(line.hasPrefix("/// ") ? 4 : 3)
    }
  }

  /// The code blocks that are marked as Swift.
  var snippets: [Snippet] { blocks.snippets }

  /// Errors in the lines that begin or end code blocks, as in `A.md:7: …`.
  var faults: [String] { blocks.faults }

  private var blocks: Blocks {
    var blocks = Blocks(document: name)
    for (index, line) in lines.enumerated() { blocks.read(line, number: index + 1) }
    blocks.end()
    return blocks
  }

  /// Returns the document with blank lines in place of these sections of the second and third
  /// level.
  func without(sections headings: Set<String>) -> Document {
    var isLeftOut = false
    return Document(
      name: name,
      lines: lines.map { line in
        if line.hasPrefix("## ") || line.hasPrefix("### ") {
          isLeftOut = headings.contains(String(line.drop { $0 == "#" }.dropFirst()))
        }
        return isLeftOut ? "" : line
      })
  }
}

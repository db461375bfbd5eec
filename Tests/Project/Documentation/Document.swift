/// A text with blocks of code, each between two lines of three backticks.
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

  /// The documentation in some Swift; its other lines are blank, so that all keep their numbers.
  init(name: String, commentsOf source: String) {
    self.init(name: name, text: source)
    lines = lines.map { line in
      let line = line.trimmingSpaces
      guard line.hasPrefix("///") else { return "" }
      return line.dropFirst(line.hasPrefix("/// ") ? 4 : 3)
    }
  }

  /// The blocks that are marked as Swift.
  var snippets: [Snippet] { blocks.snippets }

  /// What keeps a block from being looked at, as `A.md:7: …`.
  var faults: [String] { blocks.faults }

  private var blocks: Blocks {
    var blocks = Blocks(document: name)
    for (index, line) in lines.enumerated() { blocks.read(line, number: index + 1) }
    blocks.end()
    return blocks
  }

  /// The document with blank lines in place of some sections of the second and third level.
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

/// Finds the code blocks of a document, line by line.
struct Blocks {
  private(set) var snippets: [Snippet] = []
  private(set) var faults: [String] = []
  private let document: String
  private var open: (language: Substring, line: Int, code: [Substring])?

  init(document: String) {
    self.document = document
  }

  mutating func read(_ line: Substring, number: Int) {
    let isFence = line.contains("```") || line.contains("~~~")
    if isFence { check(line, number: number) }
    switch (isFence, open != nil) {
    case (true, true): end(at: number)
    case (true, false): open = (line.dropFirst(3), number, [])
    case (false, true): open?.code.append(line)
    case (false, false): break
    }
  }

  /// Ends the document; a block that is still open is a fault.
  mutating func end() {
    if let open { faults.append("\(document):\(open.line): a block without an end") }
  }

  private mutating func end(at number: Int) {
    if let open, open.language == "swift" {
      snippets.append(Snippet(document: document, line: open.line + 1, code: Code(open.code)))
    }
    open = nil
  }

  private mutating func check(_ line: Substring, number: Int) {
    let allowed = open == nil ? ["```swift", "```sh"] : ["```"]
    guard !allowed.contains(String(line)) else { return }
    faults.append("\(document):\(number): '\(line)' is none of \(allowed)")
  }
}

import Testing

@Suite struct SnippetTests {
  private let document = Document(
    name: "A.md",
    text: """
      # A
      ```swift
      import B

      let a = 1  // one
      ```
      ```sh
      no
      ```
      ## C
      ```swift
      let c = 3
      ```
      ## D
      """)

  @Test func `the blocks of Swift are found, with their lines`() {
    #expect(document.snippets.map(\.line) == [3, 12])
    #expect(document.snippets.map(\.code.lines) == [["let a = 1  // one"], ["let c = 3"]])
    #expect(document.snippets.map(\.code.imports) == [["import B"], []])
  }

  @Test func `a section ends at the next heading and keeps the numbers of its lines`() {
    #expect(document.section("C").snippets == [document.snippets[1]])
    #expect(document.section("E").snippets == [])
  }

  @Test(arguments: [
    "let a = 1\nlet b = 2", "  let a = 1\n\n  let b = 2  ", "// why\nlet b = 2\nlet c = 3",
    "import Z\nlet b = 2",
  ])
  func `code is compared without indentation, blank lines, comments and other imports`(
    snippet: String
  ) {
    #expect(file.contains(Code(snippet)))
  }

  @Test(arguments: [
    "let a = 1\nlet c = 3", "let b = 1", "let a", "let c = 3\nlet d = 4", "import Y\nlet b = 2",
    "let a = 1 // one",
  ])
  func `each line has to be there, whole and in its order`(snippet: String) {
    #expect(!file.contains(Code(snippet)))
  }

  private let file = Code(
    """
    import Y1
    import Z

    func f() {
      let a = 1
      let b = 2
      // because
      let c = 3
    }
    """)
}

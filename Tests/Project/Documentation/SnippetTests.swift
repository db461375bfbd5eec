import Testing

@Suite struct SnippetTests {
  @Test(arguments: [
    "let a = 1\nlet b = 2", "  let a = 1\n\n  let b = 2  ", "// why\nlet b = 2\nlet c = 3",
    "import Z\nlet b = 2",
  ])
  func `code is compared without indentation, blank lines, comments, and additional imports`(
    snippet: String
  ) {
    #expect(file.contains(Code(snippet)))
  }

  @Test(arguments: [
    "let a = 1\nlet c = 3", "let b = 1", "let a", "let c = 3\nlet d = 4", "import Y\nlet b = 2",
    "let a = 1 // one",
  ])
  func `a snippet matches only if each line is present, complete, and in order`(snippet: String) {
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

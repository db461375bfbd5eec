import Testing

@Suite struct SwiftTokensTests {
  @Test func `comments are left out, also nested ones`() {
    #expect(words("a // b\nc /* d /* e */ f */ g") == ["a", "c", "g"])
  }

  @Test func `a string stays whole and hides what looks like code`() {
    #expect(SwiftTokenizer.tokens(of: #""import X" y"#) == [.string("import X"), .word("y")])
    #expect(words("\"\"\"\nimport X \" // no\n\"\"\" y") == ["y"])
    #expect(words(##"#"a " import X"# y"##) == ["y"])
    #expect(words(#""a \" import X" y"#) == ["y"])
    #expect(words(#""a \(f("b") + ")") import X" y"#) == ["y"])
    #expect(words(#""// no comment" y"#) == ["y"])
    #expect(words("/a\"/\nimport y") == ["a", "import", "y"])
  }

  @Test func `a name in backticks is no keyword`() {
    #expect(
      SwiftTokenizer.tokens(of: "`import X` import")
        == [.quotedName("import X"), .word("import")])
  }

  private func words(_ source: String) -> [String] {
    SwiftTokenizer.tokens(of: source).compactMap { token in
      if case .word(let word) = token { word } else { nil }
    }
  }
}

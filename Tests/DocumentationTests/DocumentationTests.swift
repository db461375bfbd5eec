import Testing

@Suite struct DocumentationTests {
  private let documentation = Documentation()

  @Test func `each snippet is compiled, line for line`() throws {
    let compiled = try documentation.compiledFiles()
    let missing = try documentation.documents().flatMap(\.snippets).filter { snippet in
      !compiled.contains { $0.contains(snippet.code) }
    }
    #expect(missing.map { "\($0.document):\($0.line)" } == [])
  }

  @Test func `each document has a snippet, but for the list of all`() throws {
    let empty = try documentation.documents().filter(\.snippets.isEmpty)
    #expect(empty.map(\.name) == ["ClientDependencies.md", "ComingFromSwiftDependencies.md"])
  }

  @Test func `each article is in the list of all`() throws {
    let articles = try documentation.articles()
    let list = try #require(articles.first { $0.name == "ClientDependencies.md" }).text
    let unlisted = articles.map { $0.name.dropLast(3) }.filter {
      $0 != "ClientDependencies" && !list.contains("- <doc:\($0)>")
    }
    #expect(unlisted == [])
  }
}

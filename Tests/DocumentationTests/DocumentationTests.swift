import Testing

@Suite struct DocumentationTests {
  private let documentation = Documentation()

  @Test func `each snippet is compiled, line for line`() throws {
    let compiled = try documentation.compiledFiles()
    let snippets = try documentation.documents().flatMap {
      $0.without(sections: Documentation.manifests).snippets
    }
    let missing = snippets.filter { snippet in
      !compiled.contains { $0.contains(snippet.code) }
    }
    #expect(missing.map { "\($0.document):\($0.line)" } == [])
  }

  @Test func `each block is one that is looked at`() throws {
    let faults = try documentation.documents().flatMap(\.faults)
    #expect(faults == [])
  }

  @Test func `the comments of each module have examples`() throws {
    let modules = try documentation.comments().flatMap(\.snippets).map {
      String($0.document.prefix { $0 != "/" })
    }
    #expect(
      Set(modules) == [
        "ClientDependencies", "ClientDependenciesMacros", "ClientDependenciesTestSupport",
      ])
  }

  @Test func `each page has a snippet, but for the list of all`() throws {
    let empty = try documentation.pages().filter(\.snippets.isEmpty)
    #expect(empty.map(\.name) == ["ClientDependencies.md", "ComingFromSwiftDependencies.md"])
  }

  @Test func `a manifest names products that there are`() throws {
    let products = try documentation.products()
    let product = /\.product\(name: "(\w+)", package: "syrinx"\)/
    let named = try documentation.pages().flatMap { page in
      page.lines.flatMap { $0.matches(of: product).map { String($0.1) } }
    }
    #expect(!named.isEmpty)
    #expect(named.filter { !products.contains($0) } == [])
  }

  @Test func `each article is in the list of all`() throws {
    let articles = try documentation.articles()
    let list = try #require(articles.first { $0.name == "ClientDependencies.md" }).lines
    let unlisted = articles.map { $0.name.dropLast(3) }.filter {
      $0 != "ClientDependencies" && !list.contains("- <doc:\($0)>")
    }
    #expect(unlisted == [])
  }
}

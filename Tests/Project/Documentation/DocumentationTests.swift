import Foundation
import Testing

@Suite struct DocumentationTests {
  private let documentation = Documentation()

  @Test func `each line of each snippet is compiled`() throws {
    let compiled = try documentation.compiledFiles()
    let snippets = try documentation.documents().flatMap {
      $0.without(sections: Documentation.manifests).snippets
    }
    let missing = snippets.filter { snippet in
      !compiled.contains { $0.contains(snippet.code) }
    }
    #expect(missing.map { "\($0.document):\($0.line)" } == [])
  }

  @Test func `each code block has a language marker that the tests know`() throws {
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

  @Test func `each page about a library has a Swift snippet, except the pages listed in this test`()
    throws
  {
    let pages = try documentation.pages().filter {
      !$0.name.hasPrefix("Sources/Command/SyrinxCommand/")
    }
    let empty = pages.filter(\.snippets.isEmpty).compactMap { $0.name.split(separator: "/").last }
    #expect(
      empty.sorted() == [
        "ClientDependencies.md", "ComingFromTheComposableArchitecture.md", "Reducers.md",
        "SoundFile.md", "SpeechEngine.md", "SpeechServer.md", "VoskEngine.md", "WyomingEngine.md",
      ])
  }

  @Test func `the Swift Package Index documents each module with a catalog, except the command`()
    throws
  {
    let manifest = try String(
      contentsOf: documentation.root.appending(path: ".spi.yml"), encoding: .utf8)
    let listed = manifest.matches(of: /- (\w+)\n/).map { String($0.1) }
    let modules = try documentation.modules()
    #expect(listed.sorted() == modules.filter { $0 != "SyrinxCommand" }.sorted())
  }

  @Test func `the package manifests in the documentation name only existing products`() throws {
    let products = try documentation.products()
    let product = /\.product\(name: "(\w+)", package: "syrinx"\)/
    let named = try documentation.pages().flatMap { page in
      page.lines.flatMap { $0.matches(of: product).map { String($0.1) } }
    }
    #expect(!named.isEmpty)
    #expect(named.filter { !products.contains($0) } == [])
  }

  @Test func `each endpoint of a client is shown in a snippet`() throws {
    let code = try documentation.pages().flatMap(\.snippets).flatMap(\.code.lines)
      .joined(separator: "\n")
    let clients = [
      "player": "Playing/AudioPlayerClient", "recorder": "Recording/AudioRecorderClient",
      "speech": "Speech/SpeechClient",
    ]
    let endpoints = try clients.flatMap { name, module in
      let file = "Sources/\(module)/\(module.split(separator: "/")[1]).swift"
      let source = try String(contentsOf: documentation.root.appending(path: file), encoding: .utf8)
      return source.matches(of: /public var (\w+):\s*@Sendable/).map { "\(name).\($0.1)(" }
    }
    #expect(endpoints.count > 20)
    #expect(endpoints.filter { !code.contains($0) } == [])
  }

  @Test func `the first line of each page about a library names the module to import`() throws {
    let silent = try documentation.catalogs().flatMap { catalog in
      let module = try #require(catalog.split(separator: "/").dropLast().last)
      return try documentation.articles(in: catalog).filter { page in
        module != "SyrinxCommand"
          && !page.lines.dropFirst(2).prefix(while: { !$0.isEmpty }).joined(separator: " ")
            .contains("`import \(module)`")
      }
    }
    #expect(silent.map(\.name) == [])
  }

  @Test func `each article is in the list of its catalog`() throws {
    let unlisted = try documentation.catalogs().flatMap { catalog in
      let articles = try documentation.articles(in: catalog)
      let module = try #require(catalog.split(separator: "/").dropLast().last)
      let list = try #require(articles.first { $0.name == "\(catalog)/\(module).md" }).lines
      return articles.map(\.name).filter { article in
        let name = article.dropFirst(catalog.count + 1).dropLast(3)
        return name != module && !list.contains("- <doc:\(name)>")
      }
    }
    #expect(unlisted == [])
  }

  @Test(arguments: [
    "[libogg]", "[Avahi]", "The SwiftNIO Project", "The SwiftLog Project",
    "The SwiftMetrics Project", "Copyright Fedor Indutny, 2018.\n\nPermission is hereby granted",
    "Apache License\n                           Version 2.0, January 2004",
    "Runtime Library Exception to the Apache 2.0 License",
  ])
  func `the third-party notices contain every text that a license requires`(
    text: String
  ) throws {
    let notices = documentation.root.appending(path: "THIRD-PARTY-NOTICES.md")
    #expect(try String(contentsOf: notices, encoding: .utf8).contains(text))
  }

  @Test(arguments: ["CONTRIBUTING.md", "SECURITY.md"])
  func `each link of a page for contributors leads to a file`(page: String) throws {
    let file = documentation.root.appending(path: page)
    let text = try String(contentsOf: file, encoding: .utf8)
    let links = text.matches(of: /\]\(([^)]+)\)/).map { String($0.1) }
    #expect(!links.isEmpty)
    #expect(links.filter { !documentation.hasFile($0) } == [])
  }

  @Test func `the README is short, and its links lead to files and sections`() throws {
    let page = try #require(try documentation.pages().first { $0.name == "README.md" })
    #expect(page.lines.count < 220)
    let sections = page.lines.filter { $0.hasPrefix("#") }.map { line in
      "#" + line.drop { $0 == "#" || $0 == " " }.lowercased().replacing(" ", with: "-")
    }
    let links = page.lines.flatMap { $0.matches(of: /\]\(([^)]+)\)/) }.map { String($0.1) }
    #expect(links.count > 30)
    let broken = links.filter { link in
      if link.hasPrefix("https://") { return false }
      return !(link.hasPrefix("#") ? sections.contains(link) : documentation.hasFile(link))
    }
    #expect(broken == [])
  }
}

import Testing

@Suite struct SourcesPageTests {
  @Test func `the page of the sources names every target, and nothing that is not there`() throws {
    let repository = Repository()
    let page = SourcesPage(text: try repository.text(of: "Sources/README.md"))
    let manifest = try repository.text(of: "Package.swift")
    let targets = PackageManifest.folders(in: manifest)
      .filter { $0.hasPrefix("Sources/") }.map { String($0.dropFirst("Sources/".count)) }
    let files = try repository.files(below: "Sources") + repository.files(below: "Tests")
    #expect(page.paths.count > 20)
    #expect(page.faults(targets: Set(targets), files: Set(files.map(\.path))) == [])
  }

  @Test func `a missing target, an unknown one and a file that is gone are found`() {
    let page = SourcesPage(
      text: """
        `A/Here.swift` and `A/Gone.swift`
        ```
        A   the first   Unknown
        ```
        `Tests/ATests` and `snd_pcm_writei`
        """)
    #expect(
      page.faults(targets: ["A", "B"], files: ["Sources/A/Here.swift", "Tests/ATests/A.swift"])
        == ["the diagram lacks B", "Unknown is not a target", "there is no Sources/A/Gone.swift"])
  }
}

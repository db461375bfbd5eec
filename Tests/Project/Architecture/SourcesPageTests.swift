import Testing

@Suite struct SourcesPageTests {
  @Test func `the page about the sources names every target and only existing paths`() throws {
    let files = try SourceFile.files(below: "Sources") + SourceFile.files(below: "Tests")
    let text = try #require(files.first { $0.path == "Sources/README.md" }).text
    let page = SourcesPage(text: text)
    // The diagram also names the directories of targets, such as `Audio`.
    let targets = files.filter { $0.target != nil }.flatMap { file in
      file.path.split(separator: "/").dropFirst().prefix(1).map(String.init) + [file.target ?? ""]
    }
    #expect(page.paths.count > 20)
    #expect(page.faults(targets: Set(targets), files: Set(files.map(\.path))) == [])
  }

  @Test func `a missing target, an unknown target, and a missing file are reported`() {
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

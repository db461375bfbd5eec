import Testing

@Suite struct PointFreeFilesTests {
  @Test func `with the trait nothing of our own implementation is compiled`() throws {
    let files = try Repository().files(below: "Sources")
    #expect(PointFreeFiles.unwrapped(in: files) == [])
  }

  @Test func `each file that is listed as shared exists`() throws {
    let paths = try Set(Repository().files(below: "Sources").map(\.path))
    #expect(PointFreeFiles.sharedFiles.subtracting(paths) == [])
  }

  @Test func `each module says what takes its place`() throws {
    let repository = Repository()
    let modules = try repository.folders(in: "Sources").intersection(PointFreeFiles.modules)
    let paths = try Set(repository.files(below: "Sources").map(\.path))
    #expect(modules.filter { !paths.contains("Sources/\($0)/PointFree.swift") } == [])
  }

  @Test(arguments: [
    "", "struct A {}", "// why\n#if !PointFreeDependencies\nstruct A {}\n#endif",
    "import B\n#if !PointFreeDependencies\nstruct A {}\n#endif",
    "#if !PointFreeDependencies\nstruct A {}\n#endif\nstruct B {}",
    "#if !PointFreeDependencies\nstruct A {}\n#else\nstruct B {}\n#endif",
    "#if !PointFreeDependencies\nstruct A {}\n#endif\nstruct B {}\n#if DEBUG\n#endif",
    "#if PointFreeDependencies\nstruct A {}\n#endif",
  ])
  func `a file that is not inside of the condition is found`(text: String) {
    let file = SourceFile(path: "Sources/ClientDependencies/Folder/Planted.swift", text: text)
    #expect(PointFreeFiles.unwrapped(in: [file]) == [file.path])
  }

  @Test(arguments: [
    ("Sources/ClientDependencies/A.swift", "#if !PointFreeDependencies\nstruct A {}\n#endif\n"),
    (
      "Sources/ClientDependenciesMacros/A.swift",
      "#if !PointFreeDependencies\n#if DEBUG\nlet a = 1\n#else\nlet a = 2\n#endif\n#endif\n"
    ),
    ("Sources/ClientDependencies/Exports.swift", "@_exported public import IssueReporting"),
    ("Sources/ClientDependencies/Unimplemented.swift", "struct Unimplemented {}"),
    ("Sources/ClientDependencies/Catalogue.docc/Overview.md", "# Overview"),
    ("Sources/AudioCore/A.swift", "struct A {}"),
  ])
  func `a file inside of the condition, a shared one and one elsewhere is none`(
    path: String, text: String
  ) {
    #expect(PointFreeFiles.unwrapped(in: [SourceFile(path: path, text: text)]) == [])
  }
}

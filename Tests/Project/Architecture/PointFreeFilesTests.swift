import Testing

@Suite struct PointFreeFilesTests {
  @Test func `with the trait PointFreeDependencies, our own implementation is not compiled`() throws
  {
    let files = try SourceFile.files(below: "Sources")
    #expect(PointFreeFiles.unwrapped(in: files) == [])
  }

  @Test func `each file that is listed as shared exists`() throws {
    let paths = try Set(SourceFile.files(below: "Sources").map(\.path))
    #expect(PointFreeFiles.sharedFiles.subtracting(paths) == [])
  }

  @Test func `each module has a file that re-exports its Point-Free replacement`() throws {
    let paths = try Set(SourceFile.files(below: "Sources").map(\.path))
    let missing = PointFreeFiles.modules.filter {
      !paths.contains("Sources/Dependencies/\($0)/PointFree.swift")
    }
    #expect(missing == [])
  }

  @Test(arguments: [
    "", "struct A {}", "// why\n#if !PointFreeDependencies\nstruct A {}\n#endif",
    "import B\n#if !PointFreeDependencies\nstruct A {}\n#endif",
    "#if !PointFreeDependencies\nstruct A {}\n#endif\nstruct B {}",
    "#if !PointFreeDependencies\nstruct A {}\n#else\nstruct B {}\n#endif",
    "#if !PointFreeDependencies\nstruct A {}\n#endif\nstruct B {}\n#if DEBUG\n#endif",
    "#if PointFreeDependencies\nstruct A {}\n#endif",
  ])
  func `a file with code outside the trait's condition is reported`(text: String) {
    let file = SourceFile(
      path: "Sources/Dependencies/ClientDependencies/Folder/Planted.swift", text: text)
    #expect(PointFreeFiles.unwrapped(in: [file]) == [file.path])
  }

  @Test(arguments: [
    (
      "Sources/Dependencies/ClientDependencies/A.swift",
      "#if !PointFreeDependencies\nstruct A {}\n#endif\n"
    ),
    (
      "Sources/Dependencies/ClientDependenciesMacros/A.swift",
      "#if !PointFreeDependencies\n#if DEBUG\nlet a = 1\n#else\nlet a = 2\n#endif\n#endif\n"
    ),
    (
      "Sources/Dependencies/ClientDependencies/Exports.swift",
      "@_exported public import IssueReporting"
    ),
    ("Sources/Dependencies/ClientDependencies/Unimplemented.swift", "struct Unimplemented {}"),
    ("Sources/Dependencies/ClientDependencies/Catalogue.docc/Overview.md", "# Overview"),
    ("Sources/Audio/AudioCore/A.swift", "struct A {}"),
  ])
  func `a file inside the condition, a shared file, and another module's file are permitted`(
    path: String, text: String
  ) {
    #expect(PointFreeFiles.unwrapped(in: [SourceFile(path: path, text: text)]) == [])
  }
}

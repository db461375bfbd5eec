import Testing

@Suite struct ImportScannerTests {
  @Test(arguments: [
    "import X", "public import X", "package import X", "internal import X",
    "fileprivate import X", "private import X", "@preconcurrency import X",
    "@_exported import X", "@_exported public import X", "@_implementationOnly import X",
    "@_spi(Internals) @preconcurrency import X", "@testable import X",
    "import struct X.Y", "import func X.y", "import class X.Y.Z", "import X.Submodule",
    "import X // why", "/* why */ import X", "import /* why */ X", "import A; import X",
    "#if os(Linux)\n  import X\n#endif", "#if canImport(X)\nimport X\n#else\nimport Y\n#endif",
    "import `X`", "import\n  X", "\timport\tX", "let a = 1\nimport X\nlet b = 2",
  ])
  func `every spelling of an import is seen`(source: String) {
    #expect(ImportScanner.modules(in: source).contains("X"))
  }

  @Test(arguments: [
    "// import X", "/* import X */", "let text = \"import X\"",
    "let text = \"\"\"\nimport X\n\"\"\"",
    "files.import(X)", "func load(import X: Int) {}", "func `import X`() {}", "important X",
  ])
  func `what only looks like an import is none`(source: String) {
    #expect(ImportScanner.modules(in: source) == [])
  }
}

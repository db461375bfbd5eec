import Testing

@Suite struct ImportCheckerTests {
  private let checker = ImportChecker(rules: .ofSyrinx)

  @Test func `the package keeps the import rules`() throws {
    let files = try Repository().files(below: "Sources")
    #expect(files.contains { $0.target == "AudioCore" })
    #expect(checker.violations(in: files).map(\.description).sorted() == [])
  }

  @Test(arguments: [
    ("AudioCore", "Foundation"), ("AudioCore", "FoundationEssentials"), ("AudioCore", "CALSA"),
    ("AudioPlayerClient", "CSndFile"), ("AudioPlayerClient", "AudioPlayerClientLive"),
    ("AudioRecorderClient", "CALSA"), ("AudioRecorderClient", "SoundCard"),
    ("SpeechClient", "CPocketSphinx"), ("SpeechClient", "SpeechClientLive"),
    ("SoundCard", "CALSA"), ("SoundCard", "ALSASoundCard"),
    ("SpeechEngine", "CPocketSphinx"), ("SpeechEngine", "PocketSphinxEngine"),
    ("AudioPlayerClientLive", "CALSA"), ("AudioPlayerClientLive", "ALSASoundCard"),
    ("AudioRecorderClientLive", "CSndFile"), ("SpeechClientLive", "CSoxr"),
    ("SpeechClientLive", "ALSASoundCard"), ("PocketSphinxEngine", "CALSA"),
    ("ALSASoundCard", "CLinux"), ("SyrinxTestSupport", "SpeechClientLive"),
    ("VirtualSoundCard", "ALSASoundCard"), ("ClientDependencies", "SwiftSyntax"),
    ("ClientDependencies", "Testing"), ("syrinx", "CALSA"), ("syrinx", "SwiftSyntax"),
    ("SyrinxCommand", "ALSASoundCard"), ("SyrinxCommand", "SpeechClientLive"),
  ])
  func `a planted import is found`(target: String, module: String) {
    let path = "Sources/\(target)/Folder/Planted.swift"
    let files = [
      SourceFile(path: path, text: "public import AudioCore\n@preconcurrency import \(module)")
    ]
    let found = checker.violations(in: files)
    #expect(found.contains(.forbiddenImport(module, path: path)))
  }

  @Test func `a target without import rules is found`() {
    let files = [SourceFile(path: "Sources/Mystery/A.swift", text: "")]
    #expect(checker.violations(in: files) == [.unknownTarget("Mystery")])
  }

  @Test func `a C module without an owner is found`() {
    let files = [SourceFile(path: "Sources/CMystery/module.modulemap", text: "")]
    #expect(checker.violations(in: files) == [.cModuleWithoutOwner("CMystery")])
  }

  @Test func `a C module that its owner does not import is found`() {
    let files = [
      SourceFile(path: "Sources/CALSA/module.modulemap", text: ""),
      SourceFile(path: "Sources/ALSASoundCard/A.swift", text: "import SoundCard"),
    ]
    #expect(
      checker.violations(in: files) == [.cModuleNotImported("CALSA", owner: "ALSASoundCard")])
  }

  @Test func `the owner of a C module may import it, and every target parts of Swift`() {
    let files = [
      SourceFile(path: "Sources/CALSA/module.modulemap", text: ""),
      SourceFile(
        path: "Sources/ALSASoundCard/A.swift", text: "import CALSA\nimport Synchronization"),
    ]
    #expect(checker.violations(in: files) == [])
  }
}

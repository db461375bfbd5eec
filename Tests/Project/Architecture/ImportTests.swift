import Testing

/// What `swift build --explicit-target-dependency-import-check error`, which Tests/run.sh uses, does not check.
@Suite struct ImportTests {
  private static let sources = try? SourceFile.files(below: "Sources")
  private let cModules: Set<String>
  private let swift: [SourceFile]

  init() throws {
    let files = try #require(Self.sources)
    cModules = Set(
      files.filter { $0.name == "module.modulemap" }
        .flatMap { $0.text.matches(of: #/module (\w+) /#).map { String($0.output.1) } })
    swift = files.filter { $0.path.hasSuffix(".swift") }
  }

  @Test func `exactly one target imports each C module`() {
    #expect(cModules.count > 10)
    for module in cModules {
      let importers = Set(swift.filter { $0.imports.contains(module) }.map(\.target))
      #expect(importers.count == 1, "\(module): \(importers)")
    }
  }

  @Test(arguments: [
    "AudioPlayerClient", "AudioRecorderClient", "SpeechClient", "SoundCard", "SpeechEngine",
    "VirtualSoundCard", "SyrinxTestSupport",
  ])
  func `interfaces, seams, and fakes import neither C nor a live value`(target: String) {
    let imports = swift.filter { $0.target == target }.reduce(into: Set()) {
      $0.formUnion($1.imports)
    }
    #expect(!imports.isEmpty)
    #expect(imports.filter { cModules.contains($0) || $0.hasSuffix("Live") } == [])
  }

  @Test func `the vocabulary of audio is free of Foundation`() {
    let files = swift.filter { $0.target == "AudioCore" }
    #expect(files.count > 10)
    #expect(files.filter { $0.imports.contains { $0.hasPrefix("Foundation") } }.map(\.path) == [])
  }
}

import Testing

/// What `swift build --explicit-target-dependency-import-check error`, which Tests/run.sh uses, does not check.
@Suite struct ImportTests {
  /// The modules that the targets import, and the C modules.
  private static let found: Result<([String: Set<String>], cModules: Set<String>), any Error> =
    Result {
      let files = try SourceFile.files(below: "Sources")
      var imports: [String: Set<String>] = [:]
      for file in files where file.path.hasSuffix(".swift") {
        imports[file.target ?? "", default: []].formUnion(file.imports)
      }
      let maps = files.filter { $0.name == "module.modulemap" }
      let modules = maps.flatMap {
        $0.text.matches(of: #/module (\w+) /#).map { String($0.output.1) }
      }
      return (imports, Set(modules))
    }

  private let imports: [String: Set<String>]
  private let cModules: Set<String>

  init() throws { (imports, cModules) = try Self.found.get() }

  @Test func `exactly one target imports each C module`() {
    #expect(cModules.count > 10)
    // The shim of CPocketSphinx includes that of the older version.
    for module in cModules where module != "CSphinxBase" {
      let importers = imports.filter { $0.value.contains(module) }.keys
      #expect(importers.count == 1, "\(module): \(importers)")
    }
  }

  @Test(arguments: [
    "AudioPlayerClient", "AudioRecorderClient", "SpeechClient", "SoundCard", "SpeechEngine",
    "VirtualSoundCard", "SyrinxTestSupport",
  ])
  func `interfaces, seams, and fakes import neither C nor a live value`(target: String) throws {
    let imports = try #require(imports[target])
    #expect(imports.filter { cModules.contains($0) || $0.hasSuffix("Live") } == [])
  }

  @Test func `the vocabulary of audio is free of Foundation`() throws {
    let imports = try #require(imports["AudioCore"])
    #expect(imports.filter { $0.hasPrefix("Foundation") } == [])
  }
}

import Testing

/// Checks imports that `swift build --explicit-target-dependency-import-check error` in
/// Tests/run.sh does not check.
@Suite struct ImportTests {
  /// The modules that each target imports, and all C modules.
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
    // CSphinxBase is imported only by the shim of CPocketSphinx, not by a target.
    for module in cModules where module != "CSphinxBase" {
      let importers = imports.filter { $0.value.contains(module) }.keys
      #expect(importers.count == 1, "\(module): \(importers)")
    }
  }

  @Test(arguments: [
    "AudioPlayerClient", "AudioRecorderClient", "SpeechClient", "SoundCard", "SpeechEngine",
    "VirtualSoundCard", "SyrinxTestSupport",
  ])
  func `modules of interfaces and fakes import neither C modules nor live modules`(
    target: String
  ) throws {
    let imports = try #require(imports[target])
    #expect(imports.filter { cModules.contains($0) || $0.hasSuffix("Live") } == [])
  }

  @Test func `AudioCore does not import Foundation`() throws {
    let imports = try #require(imports["AudioCore"])
    #expect(imports.filter { $0.hasPrefix("Foundation") } == [])
  }
}

import Foundation
import SpeechEngine
import Testing
import TestTools

@testable import PocketSphinxEngine

@Suite struct ModelValidationTests {
  /// The files whose headers announce their sizes.
  private static let binaries = [
    "en-us/mdef", "en-us/means", "en-us/variances", "en-us/transition_matrices", "en-us/sendump",
    "en-us.lm.bin",
  ]
  private static let all =
    binaries + ["en-us/feat.params", "en-us/noisedict", "cmudict-en-us.dict"]

  private func validate(_ folder: ModelFolder) throws {
    try ModelFiles(directory: folder.url.path)?.validate()
  }

  private func expectDamage(
    in name: String, of folder: ModelFolder, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: SpeechEngineError.self, sourceLocation: sourceLocation) {
      try validate(folder)
    }
    guard case .modelDamaged(path: folder.path(name), reason: _) = error else {
      Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
      return
    }
  }

  @Test func `the installed model is valid`() throws {
    try validate(ModelFolder())
  }

  @Test(arguments: all) func `a missing file is reported as damage`(name: String) throws {
    let folder = try ModelFolder()
    try folder.remove(name)
    #expect(throws: SpeechEngineError.self) { try validate(folder) }
  }

  @Test(arguments: all) func `an empty file is reported as damage`(name: String) throws {
    let folder = try ModelFolder()
    try folder.change(name) { $0 = Data() }
    expectDamage(in: name, of: folder)
  }

  @Test(arguments: binaries + ["en-us/feat.params"])
  func `a model file that contains nonsense text is reported as damage`(name: String) throws {
    let folder = try ModelFolder()
    try folder.change(name) { $0 = Data("nonsense\n".utf8) }
    expectDamage(in: name, of: folder)
  }

  @Test(arguments: binaries, [1, 5, 2000])
  func `a truncated file is reported as damage`(name: String, count: Int) throws {
    let folder = try ModelFolder()
    try folder.change(name) { $0.removeLast(min(count, $0.count)) }
    expectDamage(in: name, of: folder)
  }

  @Test(arguments: binaries) func `a file that is too long is reported as damage`(name: String)
    throws
  {
    let folder = try ModelFolder()
    try folder.change(name) { $0 += [0, 0, 0, 0] }
    expectDamage(in: name, of: folder)
  }

  @Test(arguments: all) func `a file in which all bits are set is reported as damage`(name: String)
    throws
  {
    let folder = try ModelFolder()
    try folder.change(name) { $0 = Data(repeating: 0xFF, count: $0.count) }
    expectDamage(in: name, of: folder)
  }
}

@Suite struct ModelCheckTests {
  private func files(_ folder: ModelFolder) throws -> ModelFiles {
    try #require(try ModelFiles(directory: folder.url.path))
  }

  @Test func `a model is validated once, and again when a file has changed`() throws {
    let folder = try ModelFolder()
    try folder.change("cmudict-en-us.dict") { _ in }
    let models = ModelCache<ValidatedModel>()
    let first = try models.validated(files(folder))
    #expect(try models.validated(files(folder)) === first)
    // The file keeps its length, its identity, and its modification date.
    let path = folder.path("cmudict-en-us.dict")
    let times = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.write(contentsOf: Data("b".utf8))
    try file.close()
    try FileManager.default.setAttributes([.modificationDate: times as Any], ofItemAtPath: path)
    #expect(try models.validated(files(folder)) !== first)
  }

  @Test func `a model that becomes damaged is an error until it is repaired`() throws {
    let folder = try ModelFolder()
    let models = ModelCache<ValidatedModel>()
    _ = try models.validated(files(folder))
    try folder.change("en-us/mdef") { $0.removeLast() }
    for _ in 0..<2 {
      #expect(throws: SpeechEngineError.self) { try models.validated(files(folder)) }
    }
    try folder.change("en-us/mdef") { _ in }
    _ = try models.validated(files(folder))
  }

  @Test func `another model is validated separately`() throws {
    let (one, other) = (try ModelFolder(), try ModelFolder())
    let models = ModelCache<ValidatedModel>()
    let first = try models.validated(files(one))
    let second = try models.validated(files(other))
    #expect(second !== first && second.files.directory == other.url.path)
  }
}

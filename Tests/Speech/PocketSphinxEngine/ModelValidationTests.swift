import Foundation
import SpeechEngine
import Testing
import TestTools

@testable import PocketSphinxEngine

@Suite struct ModelValidationTests {
  /// The files whose every byte is validated.
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

  @Test(arguments: all) func `a missing file is damage`(name: String) throws {
    let folder = try ModelFolder()
    try folder.remove(name)
    #expect(throws: SpeechEngineError.self) { try validate(folder) }
  }

  @Test(arguments: all) func `an empty file is damage`(name: String) throws {
    let folder = try ModelFolder()
    try folder.change(name) { $0 = Data() }
    expectDamage(in: name, of: folder)
  }

  @Test(arguments: all) func `text in place of a file is damage`(name: String) throws {
    let folder = try ModelFolder()
    try folder.change(name) { $0 = Data("nonsense\n".utf8) }
    expectDamage(in: name, of: folder)
  }

  @Test(arguments: binaries, [1, 5, 2000])
  func `a truncated file is damage`(name: String, count: Int) throws {
    let folder = try ModelFolder()
    try folder.change(name) { $0.removeLast(min(count, $0.count)) }
    expectDamage(in: name, of: folder)
  }

  @Test(arguments: binaries) func `a file that is too long is damage`(name: String) throws {
    let folder = try ModelFolder()
    try folder.change(name) { $0 += [0, 0, 0, 0] }
    expectDamage(in: name, of: folder)
  }

  @Test(arguments: all) func `a file of ones is damage`(name: String) throws {
    let folder = try ModelFolder()
    try folder.change(name) { $0 = Data(repeating: 0xFF, count: $0.count) }
    expectDamage(in: name, of: folder)
  }

  @Test(arguments: ["en-us/mdef", "en-us/means", "en-us/variances", "en-us/transition_matrices"])
  func `a run of wrong bytes in the middle is damage`(name: String) throws {
    let folder = try ModelFolder()
    try folder.change(name) { data in
      let middle = data.count / 2
      for index in middle..<min(middle + 1000, data.count) { data[index] = 0xFF }
    }
    expectDamage(in: name, of: folder)
  }

  @Test func `mixed files of two models are damage`() throws {
    let folder = try ModelFolder()
    try folder.change("en-us/transition_matrices") { data in
      data = (try? Data(contentsOf: URL(filePath: "\(ModelFolder.system)/en-us/means"))) ?? data
    }
    expectDamage(in: "en-us/transition_matrices", of: folder)
  }

  @Test func `an impossible filterbank is damage`() throws {
    let folder = try ModelFolder()
    try folder.change("en-us/feat.params") { data in
      let text = String(decoding: data, as: UTF8.self)
        .replacing("-lowerf 130", with: "-lowerf 4000").replacing("6800", with: "1000")
      data = Data(text.utf8)
    }
    expectDamage(in: "en-us/feat.params", of: folder)
  }

  @Test(arguments: [
    ("<sil> SIL", "<sil> SIL SIL"), ("<sil> SIL", "<sil> AA"), ("<s> SIL", "<s> AA"),
    ("</s> SIL", "</s> SIL SIL"), ("+NSN+", "AA"), ("+NSN+", "+NSN+ AA"), ("+NSN+", "NONE"),
    ("<sil> SIL", "<sil> SIL\n<sil>(2) +NSN+"),
  ])
  func `a filler word with phones of speech is damage`(
    good: String, bad: String
  ) throws {
    let folder = try ModelFolder()
    try folder.replace(good, with: bad, in: "en-us/noisedict")
    expectDamage(in: "en-us/noisedict", of: folder)
  }

  @Test(arguments: [
    (["SIL"], ["SIX"]), (["SH", "SIL", "T"], ["T", "SIL", "SH"]), (["AA", "AE"], ["AA", "AA"]),
  ])
  func `a model whose phone of silence cannot be found is damage`(
    good: [String], bad: [String]
  ) throws {
    let folder = try ModelFolder()
    func names(_ phones: [String]) -> String { "\0\(phones.joined(separator: "\0"))\0" }
    try folder.replace(names(good), with: names(bad), in: "en-us/mdef")
    expectDamage(in: "en-us/mdef", of: folder)
  }
}

@Suite struct ModelCheckTests {
  private func files(_ folder: ModelFolder) throws -> ModelFiles {
    try #require(try ModelFiles(directory: folder.url.path))
  }

  @Test func `a model is validated once, and again when a file has changed`() throws {
    let folder = try ModelFolder()
    try folder.change("cmudict-en-us.dict") { _ in }
    let check = ModelValidator()
    let first = try check.model(files(folder))
    #expect(try check.model(files(folder)) === first)
    // Of the same length, written to the same file, and not older.
    let path = folder.path("cmudict-en-us.dict")
    let times = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.write(contentsOf: Data("b".utf8))
    try file.close()
    try FileManager.default.setAttributes([.modificationDate: times as Any], ofItemAtPath: path)
    #expect(try check.model(files(folder)) !== first)
  }

  @Test func `a model that becomes damaged is an error until it is repaired`() throws {
    let folder = try ModelFolder()
    let check = ModelValidator()
    _ = try check.model(files(folder))
    try folder.change("en-us/mdef") { $0.removeLast() }
    for _ in 0..<2 {
      #expect(throws: SpeechEngineError.self) { try check.model(files(folder)) }
    }
    try folder.change("en-us/mdef") { _ in }
    _ = try check.model(files(folder))
  }

  @Test func `another model is validated separately`() throws {
    let (one, other) = (try ModelFolder(), try ModelFolder())
    let check = ModelValidator()
    let first = try check.model(files(one))
    let second = try check.model(files(other))
    #expect(second !== first && second.files.directory == other.url.path)
  }
}

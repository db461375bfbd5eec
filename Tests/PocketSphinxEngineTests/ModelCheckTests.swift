import Foundation
import SpeechEngine
import TestTools
import Testing

@testable import PocketSphinxEngine

@Suite struct ModelCheckTests {
  private func files(_ folder: ModelFolder) throws -> ModelFiles {
    try #require(try ModelFiles(directory: folder.url.path))
  }

  @Test func `a model is validated once, and again when a file has changed`() throws {
    let folder = try ModelFolder()
    try folder.change("cmudict-en-us.dict") { _ in }
    let check = ModelCheck()
    let first = try check.model(files(folder))
    #expect(try check.model(files(folder)) === first)
    // Of the same length, written into the same file, and no older than that.
    let path = folder.path("cmudict-en-us.dict")
    let times = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.write(contentsOf: Data("b".utf8))
    try file.close()
    try FileManager.default.setAttributes([.modificationDate: times as Any], ofItemAtPath: path)
    #expect(try check.model(files(folder)) !== first)
  }

  @Test func `a model that was sound and is damaged now is an error, and mended it is not`() throws
  {
    let folder = try ModelFolder()
    let check = ModelCheck()
    _ = try check.model(files(folder))
    try folder.change("en-us/mdef") { $0.removeLast() }
    for _ in 0..<2 {
      #expect(throws: SpeechEngineError.self) { try check.model(files(folder)) }
    }
    try folder.change("en-us/mdef") { _ in }
    _ = try check.model(files(folder))
  }

  @Test func `another model is another check`() throws {
    let (one, other) = (try ModelFolder(), try ModelFolder())
    let check = ModelCheck()
    let first = try check.model(files(one))
    let second = try check.model(files(other))
    #expect(second !== first && second.files.directory == other.url.path)
  }
}

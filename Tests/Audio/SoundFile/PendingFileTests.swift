import AudioThreads
import Foundation
import TestTools
import Testing

@testable import SoundFile

@Suite struct PendingFileTests {
  private let folder: TestFolder
  private let old = Data("old".utf8)

  init() throws {
    folder = try TestFolder()
  }

  private func begin(_ name: String, isNamed: Bool) throws -> PendingFile {
    let file = try PendingFile(for: folder.file(name).path, isNamed: isNamed)
    #expect(write(file.descriptor.number, "new", 3) == 3)
    return file
  }

  @Test(arguments: [false, true])
  func `publishing a pending file replaces the existing file`(isNamed: Bool) throws {
    try old.write(to: folder.file("a"))
    let (first, second) = (try begin("a", isNamed: isNamed), try begin("b", isNamed: isNamed))
    #expect(try Data(contentsOf: folder.file("a")) == old)
    for file in [first, second] { try file.publish() }
    #expect(try folder.names == ["a", "b"])
    for name in ["a", "b"] { #expect(try Data(contentsOf: folder.file(name)) == Data("new".utf8)) }
  }

  @Test(arguments: [false, true])
  func `a file that is never published leaves no temporary file`(isNamed: Bool) throws {
    try old.write(to: folder.file("a"))
    do {
      let file = try begin("a", isNamed: isNamed)
      #expect(try folder.names.count == (isNamed ? 2 : 1))
      withExtendedLifetime(file) {}
    }
    #expect(try folder.names == ["a"] && Data(contentsOf: folder.file("a")) == old)
  }

  @Test(arguments: [false, true])
  func `publishing a file under the name of a folder fails and leaves no temporary file`(
    isNamed: Bool
  ) throws {
    let path = folder.file("a").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    do {
      let file = try begin("a", isNamed: isNamed)
      #expect(throws: SoundFileError.isDirectory(path: path)) { try file.publish() }
    }
    #expect(try folder.names == ["a"])
  }

  @Test func `a link with the file's name is replaced and not followed`() throws {
    try old.write(to: folder.file("other"))
    try FileManager.default.createSymbolicLink(
      at: folder.file("a"), withDestinationURL: folder.file("other"))
    try begin("a", isNamed: false).publish()
    #expect(try Data(contentsOf: folder.file("other")) == old)
    #expect(try Data(contentsOf: folder.file("a")) == Data("new".utf8))
  }

  @Test func `the error for a missing folder names the folder`() {
    let path = folder.file("none/a").path
    #expect(throws: SoundFileError.noFolder(path: path)) { try PendingFile(for: path) }
  }
}

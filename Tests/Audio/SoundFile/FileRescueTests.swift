import AudioThreads
import Foundation
import TestTools
import Testing

@testable import SoundFile

@Suite struct FileRescueTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: [("here", 0o640), ("gone", 0o600)] as [(String, mode_t)])
  func `a rescue copy is complete, replaces no file, and is readable only by its owner`(
    name: String, mode: mode_t
  ) throws {
    let here = folder.file("here")
    try FileManager.default.createDirectory(at: here, withIntermediateDirectories: false)
    let file = try removed(
      folder.file("gone/a.b.wav"), Data(repeating: 7, count: 100_000), mode: 0o640)
    let parent = name == "here" ? here : folder.url
    try Data([1]).write(to: parent.appending(path: "a.b-recovered.wav"))
    let copy = parent.appending(path: "a.b-recovered-2.wav")
    #expect(file.rescue(path: folder.file("\(name)/a.b.wav").path) == copy.path)
    #expect(try Data(contentsOf: copy) == Data(repeating: 7, count: 100_000))
    #expect(try Data(contentsOf: parent.appending(path: "a.b-recovered.wav")) == Data([1]))
    #expect(try Descriptor.reading(copy.path).status.st_mode & 0o777 == mode)
  }

  @Test func `the rescue copy of a file without an extension has no extension`() throws {
    let file = try removed(folder.file("gone/a"), Data([1, 2]), mode: 0o600)
    #expect(
      file.rescue(path: folder.file("gone/a").path)
        == folder.file("a-recovered").path)
  }

  @Test func `a rescue copy is in the temporary folder if no parent folder is writable`() throws {
    let name = UUID().uuidString
    let file = try removed(folder.file("gone/a"), Data([1, 2]), mode: 0o600)
    // No file can be created in /proc, so the copy cannot be stored near this path.
    let path = "/proc/self/gone/\(name)"
    let copy = try #require(file.rescue(path: path))
    defer { unlink(copy) }
    let temporary = FileManager.default.temporaryDirectory.path
    #expect(
      URL(filePath: copy).standardizedFileURL
        == URL(filePath: "\(temporary)/\(name)-recovered").standardizedFileURL)
    #expect(try Data(contentsOf: URL(filePath: copy)) == Data([1, 2]))
  }

  /// Returns the open descriptor of a file whose folder was removed.
  private func removed(_ url: URL, _ data: Data, mode: mode_t) throws -> Descriptor {
    let above = url.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: above, withIntermediateDirectories: true)
    let file = try #require(try Descriptor.making(url.path))
    fchmod(file.number, mode)
    #expect(data.withUnsafeBytes { write(file.number, $0.baseAddress, $0.count) } == data.count)
    try FileManager.default.removeItem(at: above)
    return file
  }
}

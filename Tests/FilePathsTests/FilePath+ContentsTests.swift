import FilePaths
import Foundation
import Glibc
import Testing

struct FilePathContentsTests {
  private let folder = FilePath(FileManager.default.temporaryDirectory)
    .appending(FilePath(bytes: Array("syrinx-\(UUID().uuidString)-".utf8) + [0xE9]))

  @Test
  func `a folder is made with those above it, and one that is there is left`() throws {
    let deep = folder.appending("a/b")
    try deep.makeFolder()
    try deep.makeFolder()
    #expect(deep.status.map { $0.st_mode & S_IFMT } == S_IFDIR)
    for path in [deep, deep.folder, folder] { #expect(path.withCString { rmdir($0) } == 0) }
  }

  @Test
  func `a folder that cannot be made and a file that is not there are errors`() {
    #expect(throws: FilePathError(code: ENOTDIR)) {
      try FilePath("/dev/null/a/b").makeFolder()
    }
    #expect(throws: FilePathError(code: EEXIST)) { try FilePath("/dev/null").makeFolder() }
    #expect(throws: FilePathError(code: ENOENT)) { try folder.contents() }
    #expect(throws: FilePathError(code: EISDIR)) { try FilePath("/").contents() }
  }

  @Test
  func `a file without an end is read to the limit`() throws {
    let count = try FilePath("/dev/zero").contents(atMost: 100_000).count
    #expect((100_001...200_000).contains(count))
    #expect(try FilePath("/dev/null").contents().isEmpty)
  }
}

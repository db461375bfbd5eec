import FilePaths
import Foundation
import Testing

@testable import SyrinxCommand

struct SameFileTests {
  @Test
  func `a link is the file that it leads to, and a missing file is no file`() throws {
    let folder = try TestFolder()
    let (file, other) = (folder.file("a"), folder.file("b"))
    try Data().write(to: file)
    try Data().write(to: other)
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    #expect(isSameFile(FilePath(file), FilePath(link)))
    #expect(!isSameFile(FilePath(file), FilePath(other)))
    #expect(!isSameFile(FilePath(folder.file("c")), FilePath(folder.file("c"))))
  }
}

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
    #expect(isSameFile(file.path, link.path))
    #expect(!isSameFile(file.path, other.path))
    #expect(!isSameFile(folder.file("c").path, folder.file("c").path))
  }
}

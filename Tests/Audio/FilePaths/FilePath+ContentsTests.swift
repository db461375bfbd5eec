import FilePaths
import Foundation
import Glibc
import Testing

struct FilePathContentsTests {
  private let folder = FilePath(FileManager.default.temporaryDirectory)
    .appending(FilePath(bytes: Array("syrinx-\(UUID().uuidString)-".utf8) + [0xE9]))

  @Test
  func `a folder is created with its parents, and an existing folder is unchanged`() throws {
    let deep = folder.appending("a/b")
    try deep.makeFolder()
    try deep.makeFolder()
    #expect(deep.status.map { $0.st_mode & S_IFMT } == S_IFDIR)
    for path in [deep, deep.folder, folder] { #expect(path.withCString { rmdir($0) } == 0) }
  }

  @Test
  func `making a folder at or below a file, and reading a missing file or a folder, are errors`() {
    #expect(throws: FilePathError(code: ENOTDIR)) {
      try FilePath("/dev/null/a/b").makeFolder()
    }
    #expect(throws: FilePathError(code: EEXIST)) { try FilePath("/dev/null").makeFolder() }
    #expect(throws: FilePathError(code: ENOENT)) { try folder.contents() }
    #expect(throws: FilePathError(code: EISDIR)) { try FilePath("/").contents() }
  }

  @Test
  func `without HOME the home folder comes from the password database`() throws {
    let entry = Process()
    let output = Pipe()
    entry.executableURL = URL(filePath: "/usr/bin/env")
    entry.arguments = ["getent", "passwd", "\(getuid())"]
    entry.standardOutput = output
    try entry.run()
    let line = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    entry.waitUntilExit()
    let fields = line.split(separator: ":", omittingEmptySubsequences: false)
    #expect(FilePath.registeredHome?.text == String(try #require(fields.dropFirst(5).first)))
    for variable in [nil, ""] { #expect(FilePath.home(variable) == FilePath.registeredHome) }
    #expect(FilePath.home("/u/ada") == "/u/ada")
  }

  @Test
  func `reading an endless file stops at the limit`() throws {
    let count = try FilePath("/dev/zero").contents(atMost: 100_000).count
    #expect((100_001...200_000).contains(count))
    #expect(try FilePath("/dev/null").contents().isEmpty)
  }

  @Test
  func `a link has the identity of its target, and a missing file has none`() throws {
    try folder.makeFolder()
    let (file, other, link) = (
      folder.appending("a"), folder.appending("b"), folder.appending("link")
    )
    defer {
      for path in [file, other, link] { path.remove() }
      _ = folder.withCString { rmdir($0) }
    }
    for path in [file, other] { close(path.withCString { open($0, O_CREAT | O_WRONLY, 0o600) }) }
    #expect(file.withCString { file in link.withCString { symlink(file, $0) } } == 0)
    #expect(file.isSameFile(as: link))
    #expect(!file.isSameFile(as: other))
    #expect(!folder.appending("c").isSameFile(as: folder.appending("c")))
  }

  @Test(arguments: [
    (ENOENT, "there is no such file", true), (EISDIR, "it is a folder", true),
    (EACCES, "this user may not read it", true), (EMFILE, "ulimit -n", false),
    (ENOMEM, "ulimit -v", false), (EIO, "Input/output error (errno 5)", false),
  ])
  func `an unreadable file is reported with the reason and a remedy`(
    code: Int32, part: String, isOfFile: Bool
  ) {
    let error = FilePathError(code: code)
    #expect(error.readingReason.contains(part))
    #expect(error.isOfFile == isOfFile)
  }
}

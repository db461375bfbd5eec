import AudioCore
import Foundation
import TestTools
import Testing

@testable import SoundFile

@Suite struct GrowingFileTests {
  @Test func `overwriting written bytes does not make the file longer`() throws {
    let folder = try TestFolder()
    let url = folder.file("a")
    let file = try GrowingFile(path: url.path)
    #expect(append("abcdef", to: file) == 6)
    #expect(Array("XY".utf8).withUnsafeBytes { file.write($0, at: 1) } == 2)
    #expect(file.length == 6)
    #expect(try Data(contentsOf: url) == Data("aXYdef".utf8))
  }

  @Test func `after a failure the file does not grow, but existing bytes can be updated`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 8, rlim_max: 8)
      setrlimit(__rlimit_resource_t(1), &limit)
      let folder = try TestFolder()
      let file = try GrowingFile(path: folder.file("a").path)
      #expect(append("abcdef", to: file) == 6)
      #expect(append("ghijkl", to: file) == 2)
      #expect(file.failure == .tooLarge(path: file.path))
      #expect((file.length, file.wholeLength) == (8, 6))
      file.truncate(to: file.wholeLength)
      #expect(append("g", to: file) == 0)
      #expect(Array("X".utf8).withUnsafeBytes { file.write($0, at: 5) } == 1)
      #expect(try Data(contentsOf: folder.file("a")) == Data("abcdeX".utf8))
    }
  }

  @Test(arguments: [EACCES, EPERM])
  func `the error for losing write permission says that the written audio is kept`(
    code: Int32
  ) throws {
    let folder = try TestFolder()
    let file = try GrowingFile(path: folder.file("a").path)
    file.note(failureCode: code)
    let text = try #require(file.failure).description
    #expect(text.contains(file.path) && text.contains("permission") && text.contains("kept"))
  }

  @Test func `opening a pipe as a growing file is an error`() throws {
    let folder = try TestFolder()
    let path = folder.file("pipe").path
    #expect(mkfifo(path, 0o600) == 0)
    #expect(throws: SoundFileError.self) { _ = try GrowingFile(path: path) }
  }
}

private func append(_ text: String, to file: GrowingFile) -> Int {
  Array(text.utf8).withUnsafeBytes { file.append($0) }
}

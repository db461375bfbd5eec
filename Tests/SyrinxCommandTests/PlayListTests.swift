import FilePaths
import Foundation
import TestTools
import Testing

@testable import SyrinxCommand

@Suite struct PlayListTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test func `a folder stands for its sound files in natural order, then those of its subfolders`()
    throws
  {
    for name in ["10.flac", "2.WAV", "cover.jpg", ".hidden.wav", "a/1.mp3", "b.m3u"] {
      try write(name, "")
    }
    #expect(files(["."]) == ["2.WAV", "10.flac", "a/1.mp3"])
  }

  @Test func `a link to a folder above is followed once`() throws {
    try write("a/1.mp3", "")
    try FileManager.default.createSymbolicLink(
      at: folder.file("a/up"), withDestinationURL: folder.url)
    #expect(files(["."]) == ["a/1.mp3"])
  }

  @Test func `an m3u playlist names files from its own folder, other folders, and the web`() throws
  {
    try write(
      "lists/a.m3u8",
      "\u{FEFF}#EXTM3U\r\n#EXTINF:1,One\r\n one.wav \r\n/two.wav\r\nHTTPS://a.example/three.mp3\r\n"
    )
    #expect(
      files(["lists/a.m3u8"]) == ["lists/one.wav", "/two.wav", "HTTPS://a.example/three.mp3"])
  }

  @Test func `a playlist that is not a regular file is not read`() throws {
    #expect(mkfifo(folder.file("a.m3u").path, 0o600) == 0)
    let list = PlayList([path("a.m3u")])
    #expect(list.files.isEmpty && list.problems.count == 1)
    #expect(list.problems.first?.hasSuffix("it is not a regular file") == true)
  }

  @Test func `a play list knows whether any of its files is a pipe`() throws {
    try write("a.wav", "")
    #expect(mkfifo(folder.file("b.wav").path, 0o600) == 0)
    #expect(!PlayList([path("a.wav"), "https://a.example/b.wav"]).hasStream)
    for stream in [path("b.wav"), "-", FilePath(folder.url)] {
      #expect(PlayList([path("a.wav"), stream]).hasStream)
    }
  }

  @Test func `a file URL in a playlist is a path`() throws {
    try write("a.m3u", "file:///tmp/a%20b.wav\n")
    #expect(PlayList([path("a.m3u")]).files == ["/tmp/a b.wav"])
  }

  @Test func `a pls playlist is in the order of its numbers`() throws {
    try write(
      "a.pls", "[playlist]\nFile10=b.wav\nTitle1=first\nfile9 = a.wav\nFile3=\nNumberOfEntries=2\n")
    #expect(files(["a.pls"]) == ["a.wav", "b.wav"])
  }

  @Test func `each argument that stands for nothing is a problem, and the others are played`()
    throws
  {
    try write("empty/readme.txt", "")
    try write("empty.m3u", "# nothing\n")
    let list = PlayList([path("empty"), path("empty.m3u"), path("none.m3u"), "a.wav", "-"])
    #expect(list.files == ["a.wav", "-"])
    #expect(list.problems.count == 3)
    #expect(list.problems[0].hasSuffix("empty contains no sound files"))
    #expect(list.problems[1].hasSuffix("empty.m3u contains no entries"))
    #expect(list.problems[2].contains("there is no such file"))
  }

  @Test(arguments: [
    "http://127.0.0.1:631/", "https://169.254.169.254/latest", "http://[::1]/a.mp3",
  ])
  func `a playlist cannot name an address in a private network, but the user can`(address: String)
    throws
  {
    try write("a.m3u", "a.wav\n\(address)\n")
    let list = PlayList([path("a.m3u")])
    #expect(list.files.map(\.name) == ["a.wav"])
    #expect(list.problems.count == 1 && list.problems[0].contains(address))
    #expect(PlayList([FilePath(address)]).files == [FilePath(address)])
  }

  private func path(_ name: String) -> FilePath { FilePath(folder.url).appending(FilePath(name)) }

  /// The files, relative to the folder.
  private func files(_ names: [String]) -> [String] {
    let prefix = FilePath(folder.url).text + "/"
    return PlayList(names.map { $0 == "." ? FilePath(folder.url) : path($0) }).files.map {
      $0.text.hasPrefix(prefix) ? String($0.text.dropFirst(prefix.count)) : $0.text
    }
  }

  private func write(_ name: String, _ text: String) throws {
    let file = folder.file(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }
}

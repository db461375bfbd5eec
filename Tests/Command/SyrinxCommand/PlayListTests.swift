import FilePaths
import Foundation
import SoundFile
import TestTools
import Testing

@testable import SyrinxCommand

@Suite struct PlayListTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test
  func `a folder is expanded to its sound files in natural order, then those of its subfolders`()
    throws
  {
    for name in ["10.flac", "2.WAV", "cover.jpg", ".hidden.wav", "a/1.mp3", "b.m3u"] {
      try write(name, "")
    }
    #expect(files(["."]) == ["2.WAV", "10.flac", "a/1.mp3"])
  }

  @Test func `a link to a parent folder is followed once`() throws {
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

  @Test func `hasStream is true for a pipe, standard input, or a folder that contains a pipe`()
    throws
  {
    try write("a.wav", "")
    #expect(mkfifo(folder.file("b.wav").path, 0o600) == 0)
    #expect(!PlayList([path("a.wav"), "https://a.example/b.wav"]).hasStream)
    for stream in [path("b.wav"), "-", FilePath(folder.url)] {
      #expect(PlayList([path("a.wav"), stream]).hasStream)
    }
  }

  @Test func `a file URL in a playlist is read as a path`() throws {
    try write("a.m3u", "file:///tmp/a%20b.wav\n")
    #expect(PlayList([path("a.m3u")]).files == ["/tmp/a b.wav"])
  }

  @Test func `the entries of a pls playlist are in the order of their numbers`() throws {
    try write(
      "a.pls", "[playlist]\nFile10=b.wav\nTitle1=first\nfile9 = a.wav\nFile3=\nNumberOfEntries=2\n")
    #expect(files(["a.pls"]) == ["a.wav", "b.wav"])
  }

  @Test func `an empty or missing folder or playlist is reported, and the other files are played`()
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
  func `an address in a private network is rejected in a playlist, but not as an argument`(
    address: String
  )
    throws
  {
    try write("a.m3u", "a.wav\n\(address)\n")
    let list = PlayList([path("a.m3u")])
    #expect(list.files.map(\.name) == ["a.wav"])
    #expect(list.problems.count == 1 && list.problems[0].contains(address))
    #expect(PlayList([FilePath(address)]).files == [FilePath(address)])
  }

  @Test(arguments: ["list", "list.txt", "list.mp3"])
  func `a file with the content of a playlist is a playlist, whatever its name`(name: String) throws
  {
    try write(name, "\u{FEFF}\r\n#extm3u\r\na.wav\n")
    #expect(files([name]) == ["a.wav"])
    try write(name, " [Playlist] \nFile1=b.wav\n")
    #expect(files([name]) == ["b.wav"])
    try write(name, "a.wav\n")
    #expect(files([name]) == [name])
  }

  @Test(arguments: ["#EXT-X-TARGETDURATION:10\na.ts\n", "#EXT-X-STREAM-INF:A=1\na.m3u8\n"])
  func `an HLS list of stream segments is refused`(text: String) throws {
    try write("a.m3u8", "#EXTM3U\n" + text)
    let list = PlayList([path("a.m3u8")])
    #expect(list.files.isEmpty && list.problems.count == 1)
    #expect(list.problems.first?.contains("lists the parts of a stream (HLS)") == true)
  }

  /// Returns the play list of an address whose server responds with `text`.
  private func list(
    _ address: FilePath, _ text: String, type: String = "audio/mpeg", at base: String? = nil,
    isComplete: Bool = true
  ) -> PlayList {
    PlayList(
      [address],
      ask: { asked, _ in
        WebAnswer(
          address: base ?? asked, type: type, bytes: Array(text.utf8), isComplete: isComplete)
      },
      isPrivate: { $0.contains("nowhere.invalid") ? nil : WebAnswer.isPrivate($0) })
  }

  @Test
  func `a web playlist is passed to the player if unreadable, and reported if truncated`() {
    let address: FilePath = "http://1.1.1.1/a.m3u"
    #expect(list(address, "", isComplete: false).files == [address])
    let half = list(address, "#EXTM3U\nb.mp3\n", isComplete: false)
    #expect(half.files.isEmpty && half.problems.count == 1)
    #expect(half.problems.first?.hasSuffix("its server did not send all of it") == true)
    #expect(list(address, "").problems.first?.hasSuffix("contains no entries") == true)
  }

  @Test func `a web playlist yields at most 1,000 files and ten detailed problems`() {
    let many = list("http://1.1.1.1/a.m3u", String(repeating: "b.mp3\n", count: 1_500))
    #expect(many.files.count == 1_000 && many.problems.count == 1)
    let text = String(repeating: "rtsp://1.1.1.1/a\n", count: 50)
    let refused = list("http://1.1.1.1/a.m3u", text)
    #expect(refused.files.isEmpty && refused.problems.count == 11)
    #expect(refused.problems.last?.hasSuffix("50 are not played") == true)
  }

  @Test(arguments: [
    ("http://1.1.1.1/listen", "", "#EXTM3U\nb.mp3\n"),
    ("http://1.1.1.1/listen", "audio/x-mpegurl", "b.mp3\n"),
    ("http://1.1.1.1/listen", "application/vnd.apple.mpegurl", "b.mp3"),
    ("http://1.1.1.1/listen", "audio/x-scpls", "File1=b.mp3\n"),
    ("http://1.1.1.1/listen", "text/plain", "[playlist]\nFile1=b.mp3\n"),
    ("http://1.1.1.1/a.m3u?b=c", "text/plain", "b.mp3\n"),
  ])
  func `a playlist on the web is detected by its content, type, or name`(
    address: FilePath, type: String, text: String
  ) {
    #expect(list(address, text, type: type).files == ["http://1.1.1.1/b.mp3"])
  }

  @Test(arguments: ["ID3\u{3}\u{0}", "#EXTM3U\nb.mp3\u{0}", "b.mp3\n"])
  func `a web response that is not a playlist is played as a file`(text: String) {
    #expect(list("http://1.1.1.1/listen", text).files == ["http://1.1.1.1/listen"])
  }

  @Test func `entries of a playlist on the web are relative to its address after redirections`() {
    let list = list(
      "http://1.1.1.1/a.m3u", "#EXTM3U\n/c.mp3\nd e.mp3\n//9.9.9.9/f\nHTTP://9.9.9.9/g\n",
      at: "http://9.9.9.9/lists/b.m3u")
    #expect(
      list.files == [
        "http://9.9.9.9/c.mp3", "http://9.9.9.9/lists/d%20e.mp3", "http://9.9.9.9/f",
        "http://9.9.9.9/g",
      ])
    #expect(list.problems.isEmpty)
  }

  @Test(arguments: [
    "file:///etc/passwd", "concat:/etc/passwd|/etc/hosts", "data:audio/wav;base64,AAAA",
    "http://127.0.0.1/a", "http://169.254.169.254/latest", "http://[::1]/", "//localhost/a",
    "http://10.0.0.1/", "http://nowhere.invalid/", "rtsp://1.1.1.1/a",
  ])
  func `a playlist on the web cannot refer to local files or private networks`(
    entry: String
  ) {
    let list = list("http://1.1.1.1/a.m3u", "#EXTM3U\nb.mp3\n\(entry)\n")
    #expect(list.files == ["http://1.1.1.1/b.mp3"])
    #expect(list.problems.count == 1 && list.problems[0].contains(entry), "\(list.problems)")
  }

  @Test func `a playlist on the web that is too long or lists stream segments is refused`() {
    let long = String(repeating: "a.mp3\n", count: 200_000)
    for text in [long, "#EXT-X-TARGETDURATION:10\na.ts\n"] {
      let list = list("http://1.1.1.1/a.m3u", "#EXTM3U\n" + text)
      #expect(list.files.isEmpty && list.problems.count == 1)
    }
  }

  private func path(_ name: String) -> FilePath { FilePath(folder.url).appending(FilePath(name)) }

  /// Returns the files of the play list, relative to the test's folder.
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

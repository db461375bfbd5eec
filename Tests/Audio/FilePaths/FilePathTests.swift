import FilePaths
import FoundationEssentials
import Testing

struct FilePathTests {
  /// Names with every kind of byte that a name may contain, and names that look like escaped names.
  private static let names: [[UInt8]] = [
    Array("talk.wav".utf8), Array("caf".utf8) + [0xE9], Array("café".utf8), [0xFF, 0x80, 0xC3],
    Array("a b%E9;?#+~".utf8), [0x1B, 0x0A, 0x7F, 0xC2, 0x9B], Array("\u{EFE9}\\xE9".utf8),
    [0xE2, 0x80], [0xED, 0xA0, 0x80], Array("\u{202E}e\u{301}".utf8), (1...255).filter { $0 != 47 },
    Array("\u{E000}\u{EF7F}\u{EF80}\u{F000}\u{FFFD}".utf8), Array("\u{EF7F}".utf8) + [0xEE],
  ]

  @Test(arguments: names)
  func `a path can be restored from its URL and from its text`(_ name: [UInt8]) throws {
    let path = FilePath(bytes: Array("/tmp/".utf8) + name)
    #expect(FilePath(path.url) == path)
    #expect(FilePath(path.text) == path)
    #expect(path.url.isFileURL)
  }

  @Test
  func `no two paths have the same text or description`() {
    let paths = Self.names.map { FilePath(bytes: $0) }
    #expect(Set(paths.map(\.text)).count == paths.count)
    #expect(Set(paths.map { Array($0.description.utf8) }).count == paths.count)
  }

  @Test
  func `the URL of a UTF-8 path equals Foundation's URL`() {
    for path in ["/tmp/a b;c+d?e#f%.wav", "/tmp/é/\u{1F600}", "/tmp/~", "/a:b@c=d&e$f,g!h'(i)*"] {
      #expect(FilePath(path).url == URL(filePath: path), "\(path)")
    }
  }

  @Test
  func `a relative path begins in the current folder, and a tilde is an ordinary name`() {
    let folder = FilePath(URL(filePath: "."))
    #expect(FilePath(FilePath("~").url) == folder.appending("~"))
    #expect(FilePath(FilePath("~/x").url) == folder.appending("~/x"))
    #expect(FilePath(FilePath("././x").url) == folder.appending("x"))
  }

  @Test
  func `an escaped NUL or slash in a URL stays escaped in the path`() throws {
    let url = try #require(URL(string: "file:///tmp/a%00b%2Fc%zz%4"))
    #expect(FilePath(url).description.hasPrefix("/tmp/a%00b%2Fc%"))
  }

  @Test
  func `a description is one line and contains no terminal control sequences`() {
    let text = "a\u{1B}[2J\n\t\\\u{85}\u{9B}\u{202E}\u{2066}\u{2028}\u{7F}é\u{200D}"
    #expect(
      FilePath(text).description
        == "a\\x1B[2J\\n\\t\\\\\\u{85}\\u{9B}\\u{202E}\\u{2066}\\u{2028}\\x7Fé\u{200D}")
    #expect(FilePath(bytes: [0x63, 0xE9, 0x2E, 0x77]).description == "c\\xE9.w")
  }

  @Test
  func `a printable text keeps its lines and backslashes`() {
    let name = FilePath(bytes: [0xE9]).text
    #expect("a\\b\n\t\u{1B}[0m \(name)".printable == "a\\b\n\t\\x1B[0m \\xE9")
  }

  @Test
  func `a printable line has no line breaks and at most the given length`() {
    #expect(
      "a\\b\n\t\u{1B}\u{2028}\u{202E}é\u{200F}".printableLine
        == "a\\b\\n\\t\\x1B\\u{2028}\\u{202E}é\\u{200F}")
    #expect("one".printableLine(atMost: 3) == "one")
    #expect("four".printableLine(atMost: 3) == "fo…")
    #expect("\n\n".printableLine(atMost: 3) == "\\n…")
    #expect("two".printableLine(atMost: 1) == "…")
    #expect("one".printableLine(atMost: 0) == "" && "one".printableLine(atMost: -1) == "")
    let stacked = "e" + String(repeating: "\u{301}", count: 10_000)
    #expect(stacked.printableLine(atMost: 3).unicodeScalars.count <= 4)
  }

  @Test
  func `a path has the same folder, name, stem, and extension as in Foundation`() {
    for path in ["/a/b.c/take.two.wav", "/take", "/a/.hidden", "/a/b.", "/a/.b.wav"] {
      let url = URL(filePath: path)
      #expect(FilePath(path).name.text == url.lastPathComponent)
      #expect(FilePath(path).pathExtension == url.pathExtension, "\(path)")
      #expect(
        FilePath(path).stem.text == url.deletingPathExtension().lastPathComponent, "\(path)")
      #expect(FilePath(path).folder == FilePath(url.deletingLastPathComponent()), "\(path)")
    }
    #expect(FilePath("take.wav").folder == ".")
  }
}

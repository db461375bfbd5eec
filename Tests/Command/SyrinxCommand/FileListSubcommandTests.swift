import ArgumentParser
import FilePaths
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5)))
struct FileListSubcommandTests {
  /// More names than the parser can process in a reasonable time.
  private static let many = names(5_000)

  private static func names(_ count: Int) -> [String] { (1...count).map { "no-such/\($0).wav" } }

  /// Replaces `@` with `many`, and `%` with 100 files, enough for the list to be shortened.
  private static func words(_ line: String) -> [String] {
    line.split(separator: " ").flatMap { word in
      switch word {
      case "@": many
      case "%": names(100)
      default: [String(word)]
      }
    }
  }

  private func files(_ line: String) throws -> [String] {
    let command = try RootCommand.parsed(Self.words(line))
    return try #require(command as? any FileListSubcommand).files.map(\.text)
  }

  @Test(arguments: [
    "info @", "play @", "measure @", "transcribe @", "convert @ --to flac", "info @ --json",
    "info --json @", "info --jobs 3 @", "play @ --volume 0.5", "play -d virtual @ --shuffle",
    "measure --silence -50 @ --jobs 2", "transcribe @ -o out", "transcribe -o out @ --format srt",
    "convert @ --output-dir out", "convert -o out.flac @", "convert @ --gain -3 --output out.wav",
    "info -- @",
  ])
  func `a long list of files is parsed completely, whatever other arguments surround it`(
    line: String
  )
    throws
  {
    #expect(try files(line) == Self.many)
    // The shortened arguments can be parsed, so the parser never gets the whole list.
    #expect(ShortenedArguments(Self.words(line))?.parsed() != nil)
  }

  #if Plots
  @Test(arguments: ["plot --output-dir out @", "plot @ --output-dir out --width 400"])
  func `every file of a long list is plotted`(line: String) throws {
    #expect(try files(line) == Self.many)
  }
  #endif

  @Test func `files stay in order across several long runs of operands`() throws {
    let many = Self.many
    #expect(try files("info @ --json @ --jobs 2 a.wav @") == many + many + ["a.wav"] + many)
    #expect(
      try files("info a.wav @ - @ --quiet b.wav") == ["a.wav"] + many + ["-"] + many + ["b.wav"])
    #expect(try files("info @ -- @ --json @") == many + many + ["--json"] + many)
  }

  @Test func `the last file of a long list is the output of a conversion`() throws {
    let command = try RootCommand.parsed(Self.words("convert @ out.flac --bits 16"))
    let convert = try #require(command as? ConvertCommand)
    #expect(convert.files.map(\.text) == Self.many + ["out.flac"])
    #expect(convert.options.bits == "16" && convert.output == nil)
  }

  @Test func `options next to a long list of files keep their values`() throws {
    let info = try #require(
      try RootCommand.parsed(Self.words("info @ -q --jobs 3")) as? InfoCommand)
    #expect(info.parallel.jobs == 3 && info.common.quiet && !info.json.isOn)
    let convert = try #require(
      try RootCommand.parsed(Self.words("convert -o @")) as? ConvertCommand)
    #expect(convert.output?.text == Self.many.first)
    #expect(convert.files.map(\.text) == Array(Self.many.dropFirst()))
  }

  @Test
  func `twenty -o options in one word take their values from the first twenty files`()
    throws
  {
    let line = "convert -\(String(repeating: "o", count: 20)) %"
    let command = try #require(try RootCommand.parsed(Self.words(line)) as? ConvertCommand)
    let names = Self.names(100)
    #expect(command.output?.text == names[19])
    #expect(command.files.map(\.text) == Array(names[20...]))
  }

  @Test(arguments: [
    "info --loud %", "info % --loud", "info % --jobs", "info % --jobs 0", "info - % -",
    "info --jobs %", "play % --volume 20", "play - % --control", "measure % --device virtual",
    "transcribe % --resume", "transcribe % --format srt", "convert % out.xyz",
    "convert % -o -  --to mp3",
    "convert % % --to flac", "transcribe % % -o out", "wer %", "devices %", "engines install %",
    "sing %", "% info", "info % --version", "info --generate-completion-script %",
  ])
  func `errors of shortened arguments equal the parser's errors`(line: String) {
    let words = Self.words(line)
    #expect(
      message { try RootCommand.parsed(words) } == message { try RootCommand.parseAsRoot(words) })
  }

  private func message(_ parse: () throws -> any ParsableCommand) -> String {
    do {
      return "no error, but \(type(of: try parse()))"
    } catch {
      return RootCommand.fullMessage(for: error)
    }
  }

  @Test func `an empty name in a long list of files is an error`() {
    #expect(throws: (any Error).self) {
      try RootCommand.parsed(["info"] + Self.names(100) + [""] + Self.names(100))
    }
  }

  @Test func `--help prints the help for any list of files`() throws {
    for line in ["info % --help", "info -h %", "help info %"] {
      let command = try RootCommand.parsed(Self.words(line))
      #expect(!(command is InfoCommand), "\(line)")
    }
  }

  @Test func `a long list of files is shortened for the parser, and a short list is not`() {
    #expect(ShortenedArguments(Self.words("info @ --json @"))?.words.count ?? .max < 30)
    #expect(ShortenedArguments(["info", "a.wav", "--json"]) == nil)
    #expect(ShortenedArguments(["info"] + Self.names(60)) == nil)
    #expect(ShortenedArguments([]) == nil)
  }
}

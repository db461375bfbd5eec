import ArgumentParser
import Foundation
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5)))
struct CommandLineProgramTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test
  func `--version prints the version that the changelog lists first`() async throws {
    let run = try await BuiltCommand.run("--version", in: folder)
    let text = try String(contentsOf: Checkout.file("CHANGELOG.md"), encoding: .utf8)
    let version = try #require(text.firstMatch(of: #/\n## \[(.+?)\] - /#)).output.1
    #expect(run.status == 0)
    #expect(run.outputLines == [String(version)])
  }

  @Test(arguments: ["--version", "help", "--help", "-h"])
  func `a lone help or version argument prints the same text as the parser`(argument: String)
    throws
  {
    let error = try #require(
      #expect(throws: (any Error).self) {
        var command = try RootCommand.parseAsRoot([argument])
        try command.run()
      })
    #expect(
      RootCommand.requestedText([argument])
        == RootCommand.renderedHelp(RootCommand.fullMessage(for: error)))
  }

  @Test(arguments: [
    "devices", "play", "record", "transcribe", "listen", "serve", "wer", "engines",
    "doctor",
  ])
  func `every subcommand has help`(subcommand: String) async throws {
    let root = try await BuiltCommand.run("--help", in: folder)
    #expect(root.status == 0)
    #expect(root.output.contains("  \(subcommand) "))
    let help = try await BuiltCommand.run(subcommand, "--help", in: folder)
    #expect(help.status == 0)
    #expect(help.output.contains("--verbose"))
  }

  @Test(arguments: [
    "", "devices", "play", "record", "transcribe", "listen", "info", "convert", "measure", "serve",
    "wer", "engines", "engines install", "engines remove", "config", "doctor",
  ])
  func `help consists of usage, at most three examples, options, and the manual's name`(
    subcommand: String
  ) async throws {
    let help = try await BuiltCommand.shell("syrinx \(subcommand) --help", in: folder)
    let name = ["syrinx"] + subcommand.split(separator: " ").map(String.init)
    #expect(help.output.hasPrefix("USAGE: \(name.joined(separator: " ")) "))
    #expect(help.outputLines.last == "For details, see `man \(name.joined(separator: "-"))`.")
    let paragraphs = help.output.split(separator: "\n\n")
    let options = try #require(paragraphs.firstIndex { $0.hasPrefix("OPTIONS:\n") })
    let examples = try #require(paragraphs.firstIndex { $0.hasPrefix("Examples:\n") })
    #expect(examples == 2 && examples < options)
    #expect((1...3).contains(paragraphs[examples].split(separator: "\n").count - 1))
    // If prose followed the examples, it would be in this paragraph, where the options begin.
    #expect(paragraphs[3].contains(/^([A-Z]+|Keys):\n/), "\(paragraphs[3])")
  }

  @Test
  func `the manual's source contains the prose of the help`() async throws {
    let source = try await BuiltCommand.run("play", "--experimental-dump-help", in: folder)
    #expect(source.status == 0)
    #expect(source.output.contains("Ctrl-C fades out and ends the command"))
    let help = try await BuiltCommand.run("play", "--help", in: folder)
    #expect(!help.output.contains("Ctrl-C"))
  }

  @Test
  func `a program can still write to standard output after it has run a command`() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      #expect(await RootCommand.run(["wer", "--text", "a", "a"]) == 0)
      print("and on")
      fflush(nil)
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    #expect(output.contains("and on"))
  }

  @Test
  func `a missing or unknown subcommand is a usage error`() async throws {
    #expect(try await BuiltCommand.run(in: folder).status == 64)
    #expect(try await BuiltCommand.run("sing", in: folder).status == 64)
  }

  @Test(arguments: [
    ("plya a.wav", #"there is no subcommand "plya"; did you mean "play"?"#),
    ("engines instal", #"there is no subcommand "instal"; did you mean "install"?"#),
    ("help recrod", #"there is no subcommand "recrod"; did you mean "record"?"#),
    ("sing", #"there is no subcommand "sing"; `syrinx help` lists the subcommands."#),
  ])
  func `the error for a mistyped subcommand suggests the most similar name`(
    arguments: String, sentence: String
  ) async throws {
    let run = try await BuiltCommand.shell("syrinx \(arguments)", in: folder)
    #expect(run.status == 64)
    #expect(run.errorLines.first == "syrinx: \(sentence)")
  }

  @Test(arguments: [
    "transcribe a.wav -o out -l en-US", "transcribe a.wav --language en-US --format json",
    "transcribe a.wav --format json --json --alternatives 2", "listen --language en-US --quiet",
    "play a.wav -q", "devices -q", "engines -q", "doctor -q",
  ])
  func `options accept the common alternative names`(arguments: String) throws {
    _ = try RootCommand.parseAsRoot(arguments.split(separator: " ").map(String.init))
  }

  @Test(arguments: [
    "config", "convert a.wav b.wav", "devices", "doctor", "engines", "info a.wav",
    "measure a.wav", "play a.wav", "transcribe a.wav", "listen", "wer a.txt b.txt",
  ])
  func `--format json is accepted like --json`(command: String) throws {
    for option in ["--json", "--format json"] {
      let words = "\(command) \(option)".split(separator: " ").map(String.init)
      #expect(throws: Never.self) { try RootCommand.parsed(words) }
    }
  }

  @Test(arguments: ["", "sing", "play", "play a.wav --volume 20", "play a.wav --loud", "wer - -"])
  func `a usage error is reported like every other error`(_ arguments: String) async throws {
    let run = try await BuiltCommand.shell("syrinx \(arguments)", in: folder)
    #expect(run.status == 64 && run.output.isEmpty)
    #expect(run.error.hasPrefix("syrinx: ") && !run.error.contains("Error"), "\(run.error)")
  }

  @Test(arguments: [
    ("convert a.wav o.mp3 --bitrate 192k", "--bitrate"), ("convert a.wav --bit=9 o.mp3", "--bit"),
    ("play nothing.wav --loudness 3", "--loudness"), ("play -Z", "-Z"), ("play -vZ a.wav", "-Z"),
    ("engines install --model x", "--model"), ("engines --modle x", "--modle"),
    ("transcribe a.wav --format srt --words", "--words"), ("record --json o.wav --x 1", "--x"),
    ("wer a --deep b c d", "--deep"), ("serve --wyoming nowhere --port 9", "--port"),
    ("config --set x", "--set"), ("measure --lufs a.wav -d x", "--lufs"),
    ("info --bytes 3", "--bytes"), ("listen --until 3 --seconds x", "--until"),
    ("doctor --fix all", "--fix"),
    ("devices --of card", "--of"), ("plot a.wav --colour red", "--colour"),
    ("--verbos", "--verbos"),
  ])
  func `an unknown option is reported before any other error`(
    arguments: String, name: String
  ) async throws {
    let run = try await BuiltCommand.shell("syrinx \(arguments)", in: folder)
    #expect(run.status == 64)
    #expect(run.errorLines.first?.contains("no option \(name)") == true, "\(run.error)")
  }

  @Test func `only an option that differs by at most two letters is suggested`() async throws {
    let near = try await BuiltCommand.shell("syrinx convert a.wav --bist 16", in: folder)
    #expect(near.errorLines.first?.hasSuffix("did you mean --bits?") == true, "\(near.error)")
    let far = try await BuiltCommand.shell("syrinx convert a.wav --bitrate 16", in: folder)
    let remedy = "`syrinx convert --help` lists the options."
    #expect(far.errorLines.first?.hasSuffix(remedy) == true, "\(far.error)")
  }

  @Test(arguments: [
    "convert a.wav --gain -3 --format json b.nothing", "play -d x --volume -4 a.wav",
    "serve --zeroconf --metrics x", "convert -o -- --bitrate", "help play --nonsense",
  ])
  func `known options, values, and operands are not reported as unknown`(
    _ arguments: String
  ) async throws {
    let run = try await BuiltCommand.shell("syrinx \(arguments)", in: folder)
    #expect(!run.error.contains("there is no option"), "\(run.error)")
  }

  @Test(arguments: ["help", "help play", "--help", "--version", "record --help"])
  func `help that cannot be written is an error`(_ arguments: String) async throws {
    let run = try await BuiltCommand.shell("syrinx \(arguments) >/dev/full", in: folder)
    #expect(run.status == 1)
    #expect(
      run.error == "syrinx: cannot write standard output: No space left on device (errno 28)\n")
    let piped = try await BuiltCommand.shell(
      "mkfifo pipe; : <pipe & exec 3>pipe; wait; syrinx \(arguments) >&3; echo $? >&2", in: folder)
    #expect(piped.error == "141\n")
  }

  @Test(arguments: [
    "play a.wav --volume", "play a.wav --loop", "play a.wav --repeat", "play a.wav --start",
    "play a.wav --end", "play a.wav --fade-in", "play a.wav --fade-out", "play a.wav --rate",
    "play a.wav --rate 8000 --channels", "play a.wav --wait", "record a.wav --seconds",
    "record a.wav --rate", "record a.wav --channels", "record a.wav --start-at-sound --pre-roll",
    "record a.wav --stop-after-silence", "record a.wav --trim-silence --hold",
    "record a.wav --roll-seconds", "record a.wav --roll-bytes", "transcribe a.wav --end-silence",
    "transcribe a.wav --longest-utterance", "transcribe a.wav --tail-padding",
    "transcribe a.wav --json --alternatives", "transcribe a.wav --jobs", "wer a b --limit",
    "serve --wyoming stdio --connections", "serve --wyoming stdio --idle-timeout",
    "serve --wyoming stdio --header-limit", "play - --raw s16 --raw-rate",
    "play - --raw s16 --raw-channels",
  ])
  func `the error for a negative value out of range contains the value`(_ arguments: String)
    async throws
  {
    let run = try await BuiltCommand.shell("syrinx \(arguments) -1", in: folder)
    #expect(run.status == 64)
    let first = run.errorLines.first ?? ""
    #expect(first.contains("-1") && !first.contains("Missing"), "\(run.error)")
  }
}

import ArgumentParser
import Foundation
import SpeechClient
import TestTools
import Testing

@testable import SyrinxCommand

/// Transcribes "go forward ten meters" with options for its text.
@Suite(.timeLimit(.minutes(5))) struct TextRuleOptionsTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: [
    ("", "go forward 10 meters"), ("--raw-text", "go forward ten meters"),
    ("--numbers as-recognized", "go forward ten meters"),
    ("--numbers words --spelling uk", "go forward ten metres"),
    ("--replace rules.txt --mask-profanity words.txt", "advance 10 m*****"),
    ("--key-phrase forward", "forward"),
  ])
  func `the options change the text of 'transcribe'`(options: String, text: String) async throws {
    try folder.speech("go.wav")
    try Data("# moves\nGo forward => advance\n".utf8).write(to: folder.file("rules.txt"))
    try Data("meters\n".utf8).write(to: folder.file("words.txt"))
    let run = try await BuiltCommand.shell("syrinx transcribe go.wav \(options)", in: folder)
    #expect(run.output == text + "\n", "\(run.error)")
  }

  @Test func `partial and final results of 'listen' follow the rules`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.run(
      "listen", "--device", "virtual:go.wav", "--partials", "--json", in: folder)
    let lines = try UtteranceLine.results(of: run.outputLines)
    #expect(lines.count > 1 && lines.allSatisfy { !$0.text.contains("ten") })
    #expect(lines.last?.text == "go forward 10 meters")
    #expect(lines.last?.words.map(\.word) == ["go", "forward", "10", "meters"])
  }

  @Test(arguments: [
    ("--replace", "a => b\ngo forward\n", "rules, line 2, column 11: the rule has no"),
    ("--mask-profanity", "one\ntwo words\n", "rules, line 2, column 5: the line has a second word"),
  ])
  func `an error in a file of rules is reported with its line and column`(
    option: String, text: String, message: String
  ) async throws {
    try folder.speech("go.wav")
    try Data(text.utf8).write(to: folder.file("rules"))
    for command in ["transcribe go.wav", "listen -d virtual:go.wav"] {
      let run = try await BuiltCommand.shell("syrinx \(command) \(option) rules", in: folder)
      #expect(run.status == 1 && run.output.isEmpty)
      #expect(run.error.contains(message), "\(run.error)")
    }
  }

  @Test(arguments: [
    "--raw-text --numbers digits", "--raw-text --spoken-punctuation", "--numbers roman",
    "--spelling fr", "--replace - --mask-profanity -",
  ])
  func `options that exclude each other and unknown styles are refused`(options: String) {
    let words = "transcribe a.wav \(options)".split(separator: " ").map(String.init)
    #expect(throws: (any Error).self) { try RootCommand.parsed(words) }
  }

  @Test func `explicit English rules apply without a known language, and are refused for another`()
    async throws
  {
    let options = try TextRuleOptions.parse(["--spelling", "uk"])
    let german = try SpeechOptions.parse(["-l", "de"])
    await #expect(throws: CommandFailure.self) { _ = try await options.rules(for: german) }
    let defaults = try await TextRuleOptions.parse([]).rules(for: german)
    #expect(defaults.rules.language == "de")
    for arguments in [["-l", "auto"], ["-l", "de", "--translate"]] {
      let rules = try await options.rules(for: SpeechOptions.parse(arguments)).rules
      #expect(rules.language == "en")
    }
  }

  @Test func `the record for --resume has the effective rules`() async throws {
    let recognition = try SpeechOptions.parse(["-l", "en-GB"])
    func record(_ arguments: [String]) async throws -> String? {
      let options = try TextRuleOptions.parse(arguments)
      return try await options.rules(for: recognition).record
    }
    let usual = try await record([])
    #expect(usual == "usual, uk")
    #expect(try await record(["--numbers", "usual", "--spelling", "uk"]) == usual)
    #expect(try await record(["--raw-text"]) == nil)
    try Data("a => b\n".utf8).write(to: folder.file("rules"))
    let path = folder.file("rules").path
    let replaced = try await record(["--replace", path])
    #expect(replaced?.hasPrefix("usual, uk, replace ") == true)
  }

  @Test func `line breaks of rules stay, and control characters of an engine are escaped`()
    throws
  {
    var text = TranscriptText(style: .text)
    let words = SpeechRecognitionResult("stop new line go\u{1B}", isFinal: true).printable
      .applying(TextRules(writesSpokenPunctuation: true))
    #expect(try text.add(words) == ["stop\nGo\\x1B"])
  }
}

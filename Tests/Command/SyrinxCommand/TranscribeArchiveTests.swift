import ArgumentParser
import AudioCore
import ClientDependencies
import FilePaths
import Foundation
import SpeechClient
import SpeechEngine
import TestTools
import Testing

@testable import SyrinxCommand

/// Runs `syrinx transcribe --output-dir` with a client that recognizes each file as "go".
@Suite(.timeLimit(.minutes(5))) struct TranscribeArchiveTests {
  private let folder: TestFolder
  private let clock = TestClock()
  /// Called while a file is read.
  private let whileReading = LockIsolated<@Sendable () throws -> Void> {}
  /// Whether the engine fails on a part of each file.
  private let losesAudio = LockIsolated(false)

  init() throws {
    folder = try TestFolder()
  }

  private struct Outcome {
    let recognized: Int
    let isComplete: Bool
    let output: String
    let messages: String
  }

  private func client(_ recognized: LockIsolated<Int>) -> SpeechClient {
    var client = SpeechClient()
    client.authorizationStatus = { .authorized }
    client.requestAuthorization = { .authorized }
    client.recognition = { [clock, whileReading, losesAudio] request in
      recognized.withValue { $0 += 1 }
      guard case .buffers(let audio) = request.source else { return AsyncThrowingStream { nil } }
      let (isOver, hasLost) = (LockIsolated(false), LockIsolated(!losesAudio.value))
      return AsyncThrowingStream {
        guard hasLost.value else {
          hasLost.setValue(true)
          return .dropped(
            .zero..<(.seconds(1)), reason: .engineFailed(.engineFailed(reason: "it lost a part")))
        }
        guard !isOver.value else { return nil }
        for try await _ in audio {}
        try whileReading.value()
        await clock.advance(by: .seconds(1))
        isOver.setValue(true)
        let word = TranscriptionSegment(substring: "go", timestamp: .zero, duration: .seconds(1))
        return .result(
          SpeechRecognitionResult(
            utterance: 0, bestTranscription: Transcription(segments: [word]), isFinal: true))
      }
    }
    return client
  }

  /// Runs the command within this process; the arguments are separated by spaces, and `@` stands
  /// for the test's folder.
  private func run(
    _ arguments: String, engine name: String = "fake", isRemote: Bool = false,
    own settings: [String: String] = [:], terminal: PseudoTerminal? = nil
  ) async throws -> Outcome {
    let (output, messages) = (try folder.output(), try folder.output())
    defer { for file in [output, messages] { try? FileManager.default.removeItem(at: file.url) } }
    let context = CommandContext(
      console: try Console(
        output: OutputDescriptor(rawValue: output.handle.fileDescriptor, name: "standard output"),
        error: OutputDescriptor(
          rawValue: terminal?.user ?? messages.handle.fileDescriptor, name: "standard error",
          terminalType: "xterm")),
      signals: StopSignals())
    let words = arguments.split(separator: " ").map {
      $0.replacingOccurrences(of: "@", with: folder.url.path)
    }
    let command = try #require(try TranscribeCommand.parseAsRoot(words) as? TranscribeCommand)
    let recognized = LockIsolated(0)
    var isComplete = true
    do {
      try await withDependencies {
        $0.continuousClock = clock
        $0.settings = Settings(variable: { settings[$0] }, file: nil)
        var engine = SpeechEngine()
        engine.name = name
        engine.isRemote = isRemote
        engine.availability = { .ready(SpeechModel(language: "en", location: "/model")) }
        $0.speechEngine = engine
        $0.speechClient = client(recognized)
      } operation: {
        try await command.perform(in: context)
      }
    } catch CommandEnd.reported {
      isComplete = false
    }
    return Outcome(
      recognized: recognized.value, isComplete: isComplete, output: try output.text(),
      messages: try messages.text())
  }

  private func makeArchive() throws {
    for name in ["calls/2024/may", "own"] {
      try FileManager.default.createDirectory(
        at: folder.file(name), withIntermediateDirectories: true)
    }
    for name in ["calls/a.wav", "calls/2024/b.wav", "calls/2024/may/c.wav", "own/d.wav"] {
      try folder.tone(name, .seconds(1))
    }
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOf: folder.file(name), encoding: .utf8)
  }

  /// Returns the paths of all files in `out` and its subfolders, sorted.
  private func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.file("out").path)
      .filter { !FilePath(folder.file("out/\($0)")).isFolder }.sorted()
  }

  @Test func `transcripts of all formats are in the same subfolders as their files`()
    async throws
  {
    try makeArchive()
    let run = try await run("@/calls @/own/d.wav -o @/out --format text,vtt")
    #expect(run.isComplete && run.output.isEmpty && run.messages.isEmpty)
    #expect(
      try files() == [
        "2024/b.txt", "2024/b.vtt", "2024/may/c.txt", "2024/may/c.vtt", "a.txt", "a.vtt", "d.txt",
        "d.vtt", "manifest.jsonl",
      ])
    #expect(try text("out/2024/b.txt") == "go\n")
    #expect(try text("out/2024/b.vtt").hasPrefix("WEBVTT\n"))
  }

  @Test func `--resume transcribes only unfinished files`() async throws {
    try makeArchive()
    let transcribe = "@/calls -o @/out --format text,tsv --resume"
    #expect(try await run(transcribe).recognized == 3)
    #expect(try await run(transcribe).recognized == 0)
    // The number of jobs does not matter. With another engine or option, or without --resume, all
    // files are transcribed again.
    #expect(try await run("\(transcribe) --jobs 2").recognized == 0)
    #expect(try await run(transcribe, engine: "other").recognized == 3)
    #expect(try await run("\(transcribe) --end-silence 1").recognized == 3)
    #expect(try await run(transcribe).recognized == 3)
    #expect(try await run("@/calls -o @/out --format text,tsv").recognized == 3)
    // One transcript is missing, and another file has new content.
    try FileManager.default.removeItem(at: folder.file("out/2024/b.tsv"))
    try folder.tone("calls/a.wav", .seconds(2))
    #expect(try await run(transcribe).recognized == 2)
    #expect(try await run(transcribe).recognized == 0)
  }

  @Test func `a file is unfinished if the language or server in the user's settings has changed`()
    async throws
  {
    try makeArchive()
    let transcribe = "@/own -o @/out --resume"
    for language in ["en-US", "ko-KR"] {
      let own = ["SYRINX_LOCALE": language]
      #expect(try await run(transcribe, own: own).recognized == 1)
      #expect(try await run("\(transcribe) --locale \(language)").recognized == 0)
    }
    for server in ["tcp://10.0.0.2:10300", "tcp://10.0.0.3:10300"] {
      let own = ["SYRINX_ENGINE": "wyoming", "SYRINX_SERVER": server]
      #expect(try await run(transcribe, isRemote: true, own: own).recognized == 1)
      let named = "\(transcribe) --engine wyoming --server \(server)"
      #expect(try await run(named, isRemote: true).recognized == 0)
    }
  }

  @Test func `a file is unfinished if the phrases of --context-file have changed`() async throws {
    try makeArchive()
    let transcribe = "@/own -o @/out --resume --context-file @/phrases.txt"
    for (text, count) in [("Ada\n", 1), ("# names\nAda\n", 0), ("Ada\nGrace\n", 1)] {
      try Data(text.utf8).write(to: folder.file("phrases.txt"))
      #expect(try await run(transcribe).recognized == count)
    }
    #expect(try await run("@/own -o @/out --resume").recognized == 1)
  }

  @Test func `a file is unfinished if rules for its text or limits of its subtitles have changed`()
    async throws
  {
    try makeArchive()
    let transcribe = "@/own -o @/out --format srt --resume"
    for (text, count) in [("go => stop\n", 1), ("go => stop\n", 0), ("go => walk\n", 1)] {
      try Data(text.utf8).write(to: folder.file("rules.txt"))
      #expect(try await run("\(transcribe) --replace @/rules.txt").recognized == count)
    }
    for option in ["--raw-text", "--numbers words", "--max-words 1", "--min-gap 1"] {
      #expect(try await run("\(transcribe) \(option)").recognized == 1)
      #expect(try await run("\(transcribe) \(option)").recognized == 0)
    }
  }

  @Test func `a manifest truncated within a line loses only one file`() async throws {
    try makeArchive()
    _ = try await run("@/calls -o @/out")
    let manifest = folder.file("out/manifest.jsonl")
    let whole = try Data(contentsOf: manifest)
    try whole.dropLast(40).write(to: manifest)
    #expect(try await run("@/calls -o @/out --resume").recognized == 1)
    #expect(try await run("@/calls -o @/out --resume").recognized == 0)
    let lines = try text("out/manifest.jsonl").split(separator: "\n")
    #expect(
      // Two complete lines, the truncated line, the line that invalidates its file, and the new
      // line.
      lines.count == 5
        && lines.last == Substring(decoding: whole.split(separator: 10)[2], as: UTF8.self))
  }

  @Test
  func `failed files are reported and listed for the next run; the other files are transcribed`()
    async throws
  {
    try makeArchive()
    try Data("no audio".utf8).write(to: folder.file("calls/2024/b.wav"))
    let first = try await run("@/calls @/none.wav -o @/out")
    #expect(!first.isComplete && first.recognized == 4)
    let path = folder.url.path
    let lines = first.messages.split(separator: "\n")
    #expect(lines.count == 3, "\(first.messages)")
    #expect(lines.first?.contains("\(path)/calls/2024/b.wav is not a sound file") == true)
    #expect(lines.last == "syrinx: 2 of 4 files failed; \(path)/out/failed.txt lists them")
    #expect(try text("out/failed.txt") == "\(path)/calls/./2024/b.wav\n\(path)/./none.wav\n")
    #expect(try files() == ["2024/may/c.txt", "a.txt", "failed.txt", "manifest.jsonl"])
    for name in ["calls/2024/b.wav", "none.wav"] { try folder.tone(name, .seconds(1)) }
    let second = try await run("--files-from @/out/failed.txt -o @/out --resume")
    #expect(second.isComplete && second.recognized == 2)
    #expect(
      try files() == ["2024/b.txt", "2024/may/c.txt", "a.txt", "manifest.jsonl", "none.txt"])
    #expect(try await run("@/calls @/none.wav -o @/out --resume").recognized == 0)
  }

  @Test func `a truncated file fails, and its existing transcript is kept`() async throws {
    try makeArchive()
    try folder.truncatedTone("cut.wav", bytes: 80 + 2 * 1_600)
    try FileManager.default.moveItem(at: folder.file("cut.wav"), to: folder.file("calls/cut.wav"))
    let run = try await run("@/calls -o @/out --json")
    #expect(!run.isComplete && run.messages.contains("cut.wav is incomplete"))
    #expect(try text("out/failed.txt") == "\(folder.url.path)/calls/./cut.wav\n")
    #expect(try text("out/cut.jsonl").contains("\"text\":\"go\""))
    #expect(
      run.output.contains(#"{"error":"not all of the audio was transcribed","event":"failed""#))
  }

  @Test func `with --resume, a file whose newest transcript is incomplete is recognized again`()
    async throws
  {
    try makeArchive()
    let transcribe = "@/own -o @/out --resume"
    #expect(try await run(transcribe).recognized == 1)
    losesAudio.setValue(true)
    #expect(try await !run("@/own -o @/out").isComplete)
    losesAudio.setValue(false)
    #expect(try await run(transcribe).recognized == 1)
    #expect(try await run(transcribe).recognized == 0)
  }

  @Test(arguments: [("failed", "text"), ("manifest", "json")])
  func `a transcript never replaces the list or the manifest of its folder`(
    name: String, format: String
  ) async throws {
    try makeArchive()
    try folder.tone("own/\(name).wav", .seconds(1))
    let run = try await run("@/own -o @/out --format \(format)")
    #expect(!run.isComplete && run.recognized == 1)
    #expect(run.messages.contains("\(name).wav: its transcript would replace "))
    #expect(try text("out/failed.txt") == "\(folder.url.path)/own/./\(name).wav\n")
    #expect(try text("out/manifest.jsonl").contains("\"d.wav\""))
  }

  @Test func `a failed.txt that the command did not write is not changed`() async throws {
    try makeArchive()
    try Data("mine".utf8).write(to: folder.file("own/failed.txt"))
    await #expect(throws: CommandFailure.self) { try await run("@/own -o @/own") }
    #expect(try text("own/failed.txt") == "mine")
  }

  @Test func `a run can be resumed even if its manifest ends with arbitrary bytes`() async throws {
    try makeArchive()
    #expect(try await run("@/calls -o @/out --resume").recognized == 3)
    let manifest = folder.file("out/manifest.jsonl")
    for damage in [Data(count: 4_096), Data(repeating: 0x41, count: 3_000_000)] {
      try (try Data(contentsOf: manifest) + damage + Data("\n".utf8)).write(to: manifest)
      #expect(try await run("@/calls -o @/out --resume").recognized == 0)
    }
  }

  @Test func `with --json, events are printed even if the transcripts have another format`()
    async throws
  {
    try makeArchive()
    let run = try await run("@/own -o @/out --json --format vtt")
    #expect(run.output.contains("\"event\":\"transcribed\""))
    #expect(try files() == ["d.vtt", "manifest.jsonl"])
  }

  @Test func `a file that changes while it is read fails and leaves no transcript`() async throws {
    try makeArchive()
    let file = folder.file("own/d.wav")
    whileReading.setValue {
      let handle = try FileHandle(forWritingTo: file)
      try handle.seekToEnd()
      try handle.write(contentsOf: Data([0, 0]))
    }
    let run = try await run("@/own -o @/out")
    #expect(!run.isComplete && run.messages.contains("d.wav changed while it was read"))
    #expect(try files() == ["failed.txt", "manifest.jsonl"])
    whileReading.setValue {}
    #expect(try await self.run("@/own -o @/out --resume").recognized == 1)
  }

  @Test func `two files whose transcripts would have the same name are refused`() async throws {
    try makeArchive()
    try folder.tone("calls/a.flac", .seconds(1))
    let run = try await run("@/calls -o @/out")
    #expect(!run.isComplete && run.recognized == 3)
    #expect(
      run.messages.contains(
        "a.wav: another file of this run already uses the transcript name a\n"))
  }

  @Test func `--json prints an object for each file and the counts`() async throws {
    try makeArchive()
    _ = try await run("@/calls/2024 -o @/out --json")
    try Data().write(to: folder.file("calls/2024/x.wav"))
    let run = try await run("@/calls/2024 @/own -o @/out --json --format json,srt --resume")
    struct Line: Decodable, Equatable {
      let event: String
      var file: String?
      var length: Double?
      var transcribed, failed, skipped: Int?
    }
    let lines = try run.output.split(separator: "\n").map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
    #expect(
      lines.map(\.event) == ["transcribed", "failed", "transcribed", "transcribed", "finished"])
    #expect(lines.first?.file == "\(folder.url.path)/calls/2024/b.wav" && lines.first?.length == 1)
    #expect(lines.last == Line(event: "finished", transcribed: 3, failed: 1, skipped: 0))
    let again = try await self.run("@/own -o @/out --json --format json,srt --resume")
    #expect(again.output == #"{"event":"finished","failed":0,"skipped":1,"transcribed":0}"# + "\n")
  }

  @Test func `on a terminal, the status line shows files, audio, and speed, and a summary follows`()
    async throws
  {
    try makeArchive()
    let terminal = try PseudoTerminal()
    let run = try await run("@/calls -o @/out --jobs 1", terminal: terminal)
    #expect(run.isComplete)
    let shown = terminal.rewritten()
    #expect(
      shown.contains {
        $0.hasPrefix("2 of 3 files, 0.0 hours of audio, 1.0 times real time, 0:01.0 left")
          || $0.hasPrefix("2 files, 0.0 hours of audio, 1.0 times real time")
      }, "\(shown)")
    #expect(
      shown.contains { $0.contains("3 files transcribed, 0.0 hours of audio, 1.0 times real time") }
    )
  }

  @Test(arguments: [
    "", "--files-from - -", "a.wav --resume", "a.wav --format json,vtt",
    "a.wav -o x --format json,",
    "a.wav -o x --format json,json", "a.wav --json --format vtt", "/ --format vtt",
  ])
  func `contradictory arguments of transcribe are refused`(arguments: String) {
    #expect(throws: (any Error).self) {
      try TranscribeCommand.parse(arguments.split(separator: " ").map(String.init))
    }
  }
}

import ArgumentParser
import FilePaths
import Foundation
import SpeechClient
import TestTools
import Testing

@testable import SyrinxCommand

/// Transcribes real recordings in all formats with the built command.
@Suite(.timeLimit(.minutes(5)))
struct TranscriptFormatsTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOf: folder.file(name), encoding: .utf8)
  }

  @Test
  func `subtitles have the times of the words`() async throws {
    try folder.speech("go.wav")
    let json = try await BuiltCommand.run("transcribe", "go.wav", "--json", in: folder)
    let words = try #require(try json.outputLines.map(UtteranceLine.init).first)
    let srt = try await BuiltCommand.run("transcribe", "go.wav", "--format", "srt", in: folder)
    let lines = srt.output.split(separator: "\n", omittingEmptySubsequences: false)
    try #require(lines.count == 5)
    #expect(lines[0] == "1" && lines[2] == "go forward 10 meters" && lines[3].isEmpty)
    let tsv = try await BuiltCommand.run("transcribe", "go.wav", "--format", "tsv", in: folder)
    let columns = try #require(tsv.outputLines.last).split(separator: "\t")
    let start = try #require(Int(columns[0]))
    #expect(abs(start - Int(words.start * 1_000)) <= 1)
    #expect(lines[1].hasPrefix("00:00:00,\(String(1_000 + start).dropFirst()) --> 00:00:0"))
  }

  @Test
  func `each utterance begins a new cue`() async throws {
    try folder.sample("two-utterances.wav", as: "two.wav")
    let run = try await BuiltCommand.run("transcribe", "two.wav", "--format", "vtt", in: folder)
    #expect(run.output.hasPrefix("WEBVTT\n\n00:00:0"))
    #expect(run.output.split(separator: "\n").count { $0.contains(" --> ") } == 2)
  }

  @Test
  func `--output-dir contains a transcript for each readable file`() async throws {
    try folder.speech("go.wav")
    try folder.sample("two-utterances.wav", as: "two.wav")
    let run = try await BuiltCommand.run(
      "transcribe", "go.wav", "missing.wav", "two.wav", "--output-dir", "a/b", in: folder)
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(run.errorLines.count == 2 && run.error.contains("missing.wav"))
    #expect(run.errorLines.last == "syrinx: 1 of 3 files failed; a/b/failed.txt lists them")
    #expect(try text("a/b/go.txt") == "go forward 10 meters\n")
    #expect(try text("a/b/two.txt").split(separator: "\n").count == 2)
    let made = try FileManager.default.contentsOfDirectory(atPath: folder.file("a/b").path)
    #expect(made.sorted() == ["failed.txt", "go.txt", "manifest.jsonl", "two.txt"])
  }

  @Test
  func `-o with a transcript's extension writes a file in that format`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.shell(
      """
      echo old >go.txt && syrinx transcribe go.wav -o go.txt && syrinx transcribe go.wav -o go.vtt &&
      syrinx transcribe go.wav -o go.json && mkdir folder.txt &&
      syrinx transcribe go.wav -o folder.txt
      """, in: folder)
    #expect(run.status == 0 && run.output.isEmpty, "\(run.error)")
    #expect(try text("go.txt") == "go forward 10 meters\n")
    #expect(try text("go.vtt").hasPrefix("WEBVTT\n\n00:00:0"))
    #expect(try UtteranceLine(text("go.json")).text == "go forward 10 meters")
    #expect(try text("folder.txt/go.txt") == "go forward 10 meters\n")
  }

  @Test(
    arguments: [
      ("-o out.srt", .cues(.srt), "out.srt"), ("--output OUT.TXT", .text, "OUT.TXT"),
      ("-o out.jsonl", .json, "out.jsonl"), ("-o out.txt --json", .json, "out.txt"),
      ("-o out.txt --format vtt", .cues(.vtt), "out.txt"), ("-o out", .text, nil),
      ("-o out.2", .text, nil), ("-o out.txt/", .text, nil),
      ("--output-dir out.txt", .text, nil),
      ("-o a.json --format whisper-json", .whisperJSON, "a.json"),
      ("-o out.vtt --format vtt-words", .cues(.wordTimedVTT), "out.vtt"),
    ] as [(String, TranscriptStyle, String?)])
  func `the name after -o of transcribe selects a file or a folder`(
    options: String, style: TranscriptStyle, file: String?
  ) throws {
    let words = "transcribe a.wav \(options)".split(separator: " ").map(String.init)
    let command = try #require(try RootCommand.parsed(words) as? TranscribeCommand)
    #expect(command.output?.text == file && (command.outputDir == nil) == (file != nil))
    #expect(command.transcript.styles == [style])
  }

  @Test func `the name - after -o is standard output`() throws {
    let words = ["transcribe", "a.wav", "b.wav", "-o", "-"]
    let command = try #require(try RootCommand.parsed(words) as? TranscribeCommand)
    #expect(command.output == nil && command.outputDir == nil)
  }

  @Test(arguments: [
    ("a.wav -o out.lrc", "no transcript has the extension \"lrc\""),
    ("a.wav b.wav -o out.md", "no transcript has the extension \"md\""),
    ("a.wav b.wav -o out.txt", "-o out.txt is a file, for one input"),
    ("--files-from list -o out.txt", "-o out.txt is a file, for one input"),
    ("a.wav -o out.txt --output-dir out", "exclude each other"),
    ("a.wav -o out.txt --format srt,vtt", "several formats"),
    ("a.wav -o out.txt --resume", "--resume requires --output-dir"),
  ])
  func `transcribe refuses -o with an unknown extension or with options that need a folder`(
    arguments: String, reason: String
  ) throws {
    let words = "transcribe \(arguments)".split(separator: " ").map(String.init)
    let error = #expect(throws: (any Error).self) { try RootCommand.parsed(words) }
    #expect(error.map { RootCommand.message(for: $0) }?.contains(reason) == true)
  }

  @Test
  func `--partials adds partial results to JSON`() async throws {
    try folder.speech("go.wav")
    let json = try await BuiltCommand.run(
      "transcribe", "go.wav", "--json", "--partials", in: folder)
    let lines = try json.outputLines.map(UtteranceLine.init)
    #expect(lines.count { $0.final } == 1 && lines.count > 1)
    #expect(lines.last?.text == "go forward 10 meters")
    let text = try await BuiltCommand.run("transcribe", "go.wav", "--partials", in: folder)
    #expect(text.output == "go forward 10 meters\n")
  }

  @Test
  func `on a terminal, 'transcribe --partials' rewrites one line`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.shell(
      "script -qec 'syrinx transcribe --partials go.wav' /dev/null", in: folder,
      environment: ["TERM": "xterm"])
    #expect(run.status == 0)
    let shown = run.output.split(separator: "\r").map { $0.trimmingCharacters(in: .whitespaces) }
    // The stable text comes first, and the volatile text is dimmed.
    #expect(shown.contains { $0.hasPrefix("go ") && $0.contains("\u{1B}[2m") })
    #expect(run.output.contains("\rgo forward 10 meters\r\n"))
  }

  @Test
  func `a subtitle format requires --output-dir for several files`() async throws {
    for arguments in [["--format", "srt"], ["--output-dir", "out"]] {
      let line = "syrinx transcribe a/x.wav b/x.wav \(arguments.joined(separator: " "))"
      #expect(try await BuiltCommand.shell(line, in: folder).status == 64)
    }
    let both = try await BuiltCommand.run(
      "transcribe", "a.wav", "--json", "--format", "srt", in: folder)
    #expect(both.status == 64 && both.error.contains("--json and --format"))
  }

  @Test
  func `--keep saves the captured audio unchanged`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.run(
      "listen", "--device", "virtual:go.wav", "--keep", "kept.wav", "--format", "tsv", in: folder)
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("start\tend\ttext\n") && run.output.contains("go forward"))
    #expect(try folder.samples("kept.wav") == folder.samples("go.wav"))
  }

  @Test
  func `the file of --keep is complete after a signal`() async throws {
    try folder.speech("go.wav")
    let padded = try await BuiltCommand.shell("sox go.wav long.wav pad 0 60", in: folder)
    #expect(padded.status == 0)
    let run = try RunningCommand(
      "listen", "--partials", "--json", "--device", "virtual:long.wav", "--keep", "kept.wav",
      in: folder, watching: .output)
    _ = try #require(await run.lines.first(containing: "go"))
    run.send(SIGINT)
    #expect(await run.status() == 0)
    let (kept, whole) = (try folder.samples("kept.wav"), try folder.samples("long.wav"))
    #expect(kept.count > 8_000 && kept.count < whole.count)
    #expect(kept == Array(whole.prefix(kept.count)))
  }

  @Test
  func `a failure of --keep is reported, and recognition continues`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.run(
      "listen", "--device", "virtual:go.wav", "--keep", "nowhere/kept.wav", in: folder)
    #expect(run.status == 1)
    #expect(run.output == "go forward 10 meters\n")
    #expect(run.errorLines.count == 1 && run.error.contains("no longer kept"))
    let usage = try await BuiltCommand.run(
      "listen", "--device", "virtual:go.wav", "--keep", "kept.xyz", in: folder)
    #expect(usage.status == 64)
    let same = try await BuiltCommand.run(
      "listen", "--device", "virtual:go.wav", "--keep", "go.wav", in: folder)
    #expect(same.status == 64)
  }
}

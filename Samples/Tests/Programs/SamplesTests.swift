import AudioThreads
import Foundation
import TestTools
import Testing

/// Runs the sample programs from the command line, as their users do.
@Suite struct SamplesTests {
  private let sounds = Checkout.file("Samples/sounds")

  @Test func `PlayFile plays a file to its end`() async throws {
    let run = try await run(
      "PlayFile", sounds.appendingPathComponent("go-forward.wav").path, "virtual")
    let lines = run.output.split(separator: "\n")
    #expect(run.status == 0)
    #expect(lines.first == "playing on virtual at 16000 Hz, mono")
    #expect(lines.last?.hasPrefix("played 2.8") == true)
  }

  @Test func `EchoDelay measures the delay of a virtual loopback`() async throws {
    let run = try await run("EchoDelay")
    #expect(run.status == 0)
    #expect(run.output == "the echo arrives after 120 ms\n")
  }

  @Test func `TranscribeFile prints one line per utterance, and needs no sound card`()
    async throws
  {
    let run = try await run(
      "TranscribeFile", sounds.appendingPathComponent("two-utterances.wav").path)
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    let texts = run.output.split(separator: "\n").map {
      $0.split(separator: " ", maxSplits: 1).last
    }
    #expect(texts == ["turn left and go back", "go forward ten meters"])
  }

  @Test func `RecordSpeech writes a recording that tests can replay`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let recording = folder.appendingPathComponent("go.jsonl")
    let run = try await run(
      "RecordSpeech", sounds.appendingPathComponent("go-forward.wav").path, recording.path)
    #expect(run.status == 0)
    #expect(run.output == "go forward ten meters\n")
    let lines = try String(contentsOf: recording, encoding: .utf8).split(separator: "\n")
    #expect(lines.first == #"{"format":"syrinx-speech","version":1}"#)
    #expect(lines.count > 2 && lines.last?.hasPrefix(#"{"finished":true"#) == true)
  }

  @Test(arguments: ["PlayFile", "TranscribeFile", "SpeechToText"])
  func `the error for a missing file contains the file's name, and the status is not 0`(
    program: String
  )
    async throws
  {
    let run = try await run(program, "nowhere.wav")
    #expect(run.status == 1)
    #expect(run.errors.contains("nowhere.wav"))
    #expect(run.output.isEmpty)
  }

  @Test(arguments: ["PlayFile", "TranscribeFile"])
  func `a program that needs a file prints its usage without a file`(program: String) async throws {
    let run = try await run(program)
    #expect(run.status == 64)
    #expect(run.output.hasPrefix("usage: \(program)"))
  }

  @Test(arguments: ["VoiceMemos", "SpeechToText"])
  func `a program with a screen fails without a terminal`(program: String) async throws {
    let run = try await run(program)
    #expect(run.status == 1)
    #expect(run.errors.contains("\(program): this program needs a terminal"))
    #expect(run.output.isEmpty)
  }

  @Test(.timeLimit(.minutes(1)))
  func `output that exceeds the buffers of its pipes is read to its end`() async throws {
    let script = "head -c 200000 /dev/zero; head -c 200000 /dev/zero >&2"
    let run = try await run(URL(filePath: "/bin/sh"), ["-c", script])
    #expect(run.status == 0)
    #expect(run.output.utf8.count == 200_000)
    #expect(run.errors.utf8.count == 200_000)
  }

  private struct Run {
    let status: Int32
    let output: String
    let errors: String
  }

  private func run(_ sample: String, _ arguments: String...) async throws -> Run {
    let folder = Bundle.main.executableURL?.deletingLastPathComponent()
    return try await run(#require(folder).appendingPathComponent(sample), arguments)
  }

  private func run(_ program: URL, _ arguments: [String]) async throws -> Run {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    let ended = Gate()
    process.terminationHandler = { _ in ended.open() }
    try process.run()
    // Both pipes are read while the program runs, because the program blocks when a pipe is full.
    async let outputText = text(output.fileHandleForReading)
    async let errorText = text(errors.fileHandleForReading)
    let texts = try await (outputText, errorText)
    await ended.wait()
    return Run(status: process.terminationStatus, output: texts.0, errors: texts.1)
  }

  private func text(_ pipe: FileHandle) async throws -> String {
    try await DedicatedThread.run(name: "output") {
      String(decoding: try pipe.readToEnd() ?? Data(), as: UTF8.self)
    }
  }
}

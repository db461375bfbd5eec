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

/// Interrupts `syrinx transcribe -o FILE` after its first results.
@Suite(.timeLimit(.minutes(5))) struct PartialTranscriptTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.tone("talk.wav", .seconds(1))
  }

  /// Returns a client that recognizes these texts, and then receives a signal.
  private func client(_ texts: [String], signals: StopSignals) -> SpeechClient {
    var client = SpeechClient()
    client.authorizationStatus = { .authorized }
    client.requestAuthorization = { .authorized }
    client.recognition = { _ in
      let rest = LockIsolated(texts)
      return AsyncThrowingStream {
        if let text = rest.withValue({ $0.isEmpty ? nil : $0.removeFirst() }) {
          return .result(SpeechRecognitionResult(text, isFinal: true))
        }
        _ = signals.receive(SIGINT)
        // The stream without elements ends when the signal cancels the task.
        for await _ in AsyncStream<Void>.makeStream().stream {}
        return nil
      }
    }
    return client
  }

  /// Runs the command and returns its messages.
  private func run(_ options: String, recognizing texts: String...) async throws -> String {
    let messages = try folder.output()
    let signals = StopSignals()
    let context = CommandContext(
      console: try Console(
        error: OutputDescriptor(rawValue: messages.handle.fileDescriptor, name: "standard error")),
      signals: signals)
    let words = "@/talk.wav \(options)".split(separator: " ").map {
      $0.replacingOccurrences(of: "@", with: folder.url.path)
    }
    let command = try #require(try TranscribeCommand.parseAsRoot(words) as? TranscribeCommand)
    let error = await #expect(throws: CommandEnd.self) {
      try await withDependencies {
        $0.continuousClock = TestClock()
        $0.settings = Settings(variable: { _ in nil }, file: nil)
        var engine = SpeechEngine()
        engine.name = "fake"
        engine.availability = { .ready(SpeechModel(language: "en", location: "/model")) }
        $0.speechEngine = engine
        $0.speechClient = client(texts, signals: signals)
      } operation: {
        try await command.perform(in: context)
      }
    }
    guard case .interrupted(SIGINT) = error else {
      Issue.record("\(String(describing: error))")
      return ""
    }
    return try messages.text()
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOf: folder.file(name), encoding: .utf8)
  }

  @Test func `an interrupted transcript is kept beside the old one, which stays`() async throws {
    try Data("old\n".utf8).write(to: folder.file("talk.txt"))
    let messages = try await run("-o @/talk.txt", recognizing: "go on", "stop")
    #expect(try text("talk.txt.partial") == "go on\nstop\n")
    #expect(try text("talk.txt") == "old\n")
    let path = folder.file("talk.txt.partial").path
    #expect(messages == "syrinx: interrupted; \(path) has the transcript so far\n")
  }

  @Test func `an interrupted transcript is well-formed and has the last subtitle`() async throws {
    _ = try await run("-o @/talk.srt", recognizing: "go")
    #expect(try text("talk.srt.partial") == "1\n00:00:00,000 --> 00:00:01,000\ngo\n\n")
    _ = try await run("-o @/talk.json --format whisper-json", recognizing: "go")
    let data = try Data(contentsOf: folder.file("talk.json.partial"))
    let whole = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(whole["text"] as? String == " go")
  }

  @Test(arguments: ["-o @/talk.txt", "-o @/out"])
  func `an interruption without results, or with a folder, leaves no incomplete transcript`(
    options: String
  ) async throws {
    let words = options.hasSuffix("out") ? ["go"] : []
    let messages =
      if let word = words.first {
        try await run(options, recognizing: word)
      } else {
        try await run(options)
      }
    #expect(!messages.contains("interrupted"))
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
    #expect(!files.contains { $0.hasSuffix(".partial") || $0.hasSuffix(".txt") })
  }
}

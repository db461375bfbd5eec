import ArgumentParser
import AudioCore
import ClientDependencies
import Foundation
import SpeechClient
import SpeechEngine
import TestTools
import Testing

@testable import SyrinxCommand

/// Tests the status line of `syrinx transcribe` with a client that reads a file far ahead of its
/// recognition, as with several jobs.
@Suite struct TranscribeProgressTests {
  let folder: TestFolder
  private let clock = TestClock()
  private let requested = LockIsolated<[SpeechRequest]>([])

  init() throws {
    folder = try TestFolder()
  }

  /// A client that first reads all audio, and then recognizes four seconds in real time.
  private var client: SpeechClient {
    var client = SpeechClient()
    client.recognition = { [clock, requested] request in
      requested.withValue { $0.append(request) }
      guard case .buffers(let audio) = request.source else { return AsyncThrowingStream { nil } }
      let step = LockIsolated(0)
      return AsyncThrowingStream {
        if step.value == 0 { for try await _ in audio {} }
        guard step.value < 4 else { return nil }
        step.withValue { $0 += 1 }
        await clock.advance(by: .seconds(1))
        return .speechEnded(at: .seconds(step.value))
      }
    }
    return client
  }

  private func shown(_ arguments: String...) async throws -> [String] {
    let terminal = try PseudoTerminal()
    let output = try folder.output()
    let context = CommandContext(
      console: try Console(
        output: OutputDescriptor(
          rawValue: output.handle.fileDescriptor, name: "standard output"),
        error: OutputDescriptor(
          rawValue: terminal.user, name: "standard error", terminalType: "xterm")),
      signals: StopSignals())
    let command = try #require(
      try TranscribeCommand.parseAsRoot(arguments) as? TranscribeCommand)
    try await withDependencies {
      $0.continuousClock = clock
      $0.speechEngine = SpeechEngine()
      $0.speechEngine.availability = { .ready(SpeechModel(language: "en-US", location: "/m")) }
      $0.speechClient = client
      $0.speechClient.authorizationStatus = { .authorized }
    } operation: {
      try await command.perform(in: context)
    }
    return terminal.rewritten().filter { $0.contains("real time") }
  }

  @Test
  func `progress counts recognized audio, not read audio, with one job and with several`()
    async throws
  {
    try folder.tone("a.wav", .seconds(4))
    for jobs in ["1", "3"] {
      let lines = try await shown(
        folder.file("a.wav").path, "--jobs", jobs, "--key-phrase", "go")
      #expect(
        lines.first == "a.wav 0:01.0 / 0:04.0 (25%), 1.0 times real time, 0:03.0 left")
      #expect(lines.count == 4)
    }
    #expect(requested.value.map(\.jobCount) == [1, 3])
  }
}

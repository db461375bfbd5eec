import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

/// The fake library of `Tests/Support/Vosk`, which turns the level of samples into words, and a
/// model for it.
struct FakeVoskFolder {
  let library: URL
  let model: URL

  init(in folder: TestFolder, script: String = "") throws {
    let place = folder.file("vosk")
    let builder = Checkout.file("Tests/Support/Vosk/fake-vosk.sh")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["bash", builder.path, place.path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    library = place.appending(path: "libvosk.so")
    model = place.appending(path: "vosk-model-small-en-us-0.1")
    try script.write(to: model.appending(path: "script"), atomically: true, encoding: .utf8)
  }

  var environment: [String: String] {
    ["SYRINX_VOSK_LIBRARY": library.path, "SYRINX_VOSK_MODEL": model.path]
  }
}

@Suite(.timeLimit(.minutes(5)))
struct VoskCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  /// Writes a file that the fake library recognizes as two utterances of two words.
  private func speak() throws {
    // A square wave of 1 kHz: its amplitude selects the word, and its frequency is in the speech
    // band, which the voice activity detector measures.
    func level(_ level: Int, _ count: Int) -> [Float] {
      (0..<count).map { Float(level * ($0 / 8 % 2 == 0 ? 1_000 : -1_000)) / 32_768 }
    }
    let words = [1, 2, 0, 3, 4].flatMap { number in
      number == 0 ? level(0, 24_000) : level(number, 4_800) + level(0, 1_600)
    }
    let writer = try SoundFileWriter(
      url: folder.file("speech.wav"), format: .speech, encoding: .wav16)
    try writer.write(
      AudioBuffer(format: .speech, samples: level(0, 16_000) + words + level(0, 16_000)))
    try writer.close()
  }

  private func run(
    _ command: String, script: String = ""
  ) async throws -> BuiltCommand.Outcome {
    try speak()
    let vosk = try FakeVoskFolder(in: folder, script: script)
    return try await BuiltCommand.shell(command, in: folder, environment: vosk.environment)
  }

  @Test
  func `'transcribe' uses the engine of --engine`() async throws {
    let run = try await run("syrinx transcribe speech.wav --engine vosk")
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output == "go forward\n10 meters\n")
  }

  @Test
  func `'listen' uses the engine and model of its options`() async throws {
    let run = try await run(
      "syrinx listen --device virtual:speech.wav --engine vosk --model vosk/vosk-model-small-en-us-0.1"
    )
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output == "go forward\n10 meters\n")
  }

  @Test
  func `'listen' reports how far a slow engine lags and when it has caught up`() async throws {
    try speak()
    let vosk = try FakeVoskFolder(in: folder, script: "slow 4000\n")
    let run = try await BuiltCommand.run(
      "listen", "--device", "virtual:speech.wav", "--engine", "vosk", "--json", in: folder,
      environment: vosk.environment)
    #expect(run.status == 0, "\(run.error)")
    let lines = run.outputLines
    #expect(try UtteranceLine.results(of: lines).map(\.text) == ["go forward", "10 meters"])
    let lags = try lines.compactMap(LagLine.init).map(\.seconds)
    // The library sleeps until all audio has arrived, so recognition lags even on a fast machine.
    #expect(try #require(lags.max()) >= 1)
    #expect(lags.last == 0)
  }

  @Test
  func `several files are transcribed in parallel with one model, in input order`() async throws {
    let log = folder.file("log")
    let run = try await run(
      """
      cp speech.wav again.wav
      syrinx transcribe --engine vosk --jobs 2 --json speech.wav again.wav speech.wav
      """, script: "log \(log.path)\n")
    #expect(run.status == 0, "\(run.error)")
    let lines = try run.outputLines.map(UtteranceLine.init)
    #expect(
      lines.map { "\($0.file ?? "") \($0.text)" }
        == ["speech.wav", "again.wav", "speech.wav"].flatMap { file in
          ["\(file) go forward", "\(file) 10 meters"]
        })
    let calls = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
    #expect(calls.count { $0.hasPrefix("model_new") } == 1)
  }

  @Test
  func `the error for a folder without a model names the folder`() async throws {
    let run = try await run("syrinx transcribe speech.wav --engine vosk --model nowhere")
    #expect(run.status == 1)
    #expect(run.error.contains("nowhere: the folder does not exist"))
    #expect(run.output.isEmpty)
  }

  @Test
  func `the error for a model of another engine names the model`() async throws {
    let run = try await run(
      "syrinx transcribe speech.wav --model vosk/vosk-model-small-en-us-0.1")
    #expect(run.status == 1)
    #expect(run.error.contains("vosk-model-small-en-us-0.1"))
  }

  @Test
  func `a language without a model is an error`() async throws {
    let run = try await run("syrinx transcribe speech.wav --engine vosk --locale de")
    #expect(run.status == 1)
    #expect(run.error.contains("en-US and not de"), "\(run.error)")
  }

  @Test
  func `a library that returns null is an error`() async throws {
    let run = try await run("syrinx transcribe speech.wav --engine vosk", script: "null result\n")
    #expect(run.status == 1)
    #expect(run.error.contains("libvosk returned no result"))
  }

  @Test
  func `a library that aborts ends the command with status 134`() async throws {
    // Disables Swift's crash reporter, which would end the process with another signal.
    let run = try await run(
      "SWIFT_BACKTRACE=enable=no syrinx transcribe speech.wav --engine vosk --output-dir out",
      script: "abort\n")
    #expect(run.status == 134)
    #expect(run.output.isEmpty)
    // A transcript is moved to its final path only when it is complete.
    #expect(!FileManager.default.fileExists(atPath: folder.file("out/speech.txt").path))
  }
}

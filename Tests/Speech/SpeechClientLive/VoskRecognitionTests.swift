import AudioCore
import Foundation
import SpeechClient
import SpeechEngine
import TestTools
import Testing
import VoskEngine

@testable import SpeechClientLive

/// Recognizes buffers, with a library that recognizes words by their level.
@Suite(.timeLimit(.minutes(5))) struct VoskRecognitionTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "syrinx-vosk-\(UUID())")

  private func engine(_ script: String = "") throws -> SpeechEngine {
    let builder = Checkout.file("Tests/Support/Vosk/fake-vosk.sh")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["bash", builder.path, folder.path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    let model = folder.appending(path: "vosk-model-small-en-us-0.1")
    try script.write(to: model.appending(path: "script"), atomically: true, encoding: .utf8)
    return .vosk(library: folder.appending(path: "libvosk.so"), modelDirectory: model)
  }

  /// Two utterances of two words each, a second and a half apart.
  private var buffers: AsyncThrowingStream<AudioBuffer, any Error> {
    func level(_ level: Int, _ length: Duration) -> [Float] {
      // The sign changes 1,600 times a second, so that the detector finds a sound; the library
      // ignores the sign.
      (0..<FrameCount(length, at: .speech).rawValue).map { index in
        Float(level * 1_000) / 32_768 * (index / 10 % 2 == 0 ? 1 : -1)
      }
    }
    func word(_ number: Int) -> [Float] {
      level(number, .milliseconds(300)) + level(0, .milliseconds(100))
    }
    let samples =
      level(0, .seconds(1)) + word(1) + word(2) + level(0, .milliseconds(1_400)) + word(3) + word(4)
      + level(0, .seconds(1))
    return AsyncThrowingStream { continuation in
      continuation.yield(AudioBuffer(format: .speech, samples: samples))
      continuation.finish()
    }
  }

  @Test(arguments: ["", "pause 80"])
  func `each word is reported once, with its time in the stream`(script: String) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let results = try await SpeechTasks().start(
      SpeechRequest(buffers: buffers), on: try engine(script)
    ).all()
    #expect(results.finals == ["go forward", "ten meters"])
    let words = results.filter(\.isFinal).flatMap(\.bestTranscription.segments)
    #expect(words.map { ($0.timestamp.inSeconds * 100).rounded() } == [100, 140, 320, 360])
    #expect(words.allSatisfy { abs($0.duration.inSeconds - 0.3) < 0.001 })
  }

  @Test func `a library that fails within an utterance ends the stream with its reason`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let engine = try engine("accept -1")
    await #expect(
      throws: SpeechClientError.engineFailed(reason: "libvosk cannot process the audio (-1)")
    ) {
      try await SpeechTasks().start(SpeechRequest(buffers: buffers), on: engine).all()
    }
  }

  @Test func `a slow library does not delay the cancellation of a task`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let pipes = try ["log", "held"].map { name in
      let pipe = folder.appending(path: name)
      try #require(mkfifo(pipe.path, 0o600) == 0)
      return (line: "\(name) \(pipe.path)", handle: try FileHandle(forUpdating: pipe))
    }
    let engine = try engine("\(pipes[0].line)\n\(pipes[1].line)\n")
    let stream = SpeechTasks().start(SpeechRequest(buffers: buffers), on: engine)
    let consumer = Task { try await stream.all() }
    await pipes[0].handle.text(until: "accept_waveform")
    consumer.cancel()
    let finals = try await consumer.value.finals
    #expect(finals.isEmpty)
    // The library is blocked until these bytes are written; then the call ends and the library is
    // released.
    try pipes[1].handle.write(contentsOf: Data(count: 4_096))
    await pipes[0].handle.text(until: "recognizer_free")
  }
}

extension FileHandle {
  /// Reads until this text has arrived.
  fileprivate func text(until end: String) async {
    let (pieces, piece) = AsyncStream.makeStream(of: Data.self)
    readabilityHandler = { piece.yield($0.availableData) }
    var text = ""
    for await data in pieces {
      text += String(decoding: data, as: UTF8.self)
      if text.contains(end) { break }
    }
    readabilityHandler = nil
  }
}

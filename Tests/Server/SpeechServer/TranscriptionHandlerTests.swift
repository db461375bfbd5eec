import AudioCore
import ClientDependencies
import Foundation
import SpeechClient
import SpeechEngine
import SpeechServer
import Synchronization
import Testing
import Wyoming

@testable import WyomingEngine

@Suite(.timeLimit(.minutes(1))) struct TranscriptionHandlerTests {
  private let clock = TestClock()
  private let engine = SpeechEngine(
    name: "test", availability: { .ready(SpeechModel(language: "en-US", location: "here")) },
    makeSession: { _ in throw SpeechEngineError.failed(reason: "unused") })
  private let reports = AsyncStream.makeStream(of: SpeechServerReport.self)

  private func serving(
    _ speech: SpeechClient = CountingSpeech().client,
    options change: (inout SpeechServerOptions) -> Void = { _ in },
    _ body: @escaping @Sendable (HTTPClient) async throws -> Void
  ) async throws {
    try await servingHTTP(speech: speech, engine: engine, clock: clock) { [reports] options in
      options.report = { reports.continuation.yield($0) }
      change(&options)
    } _: { client in
      try await body(client)
    }
  }

  /// Returns a WAV file of 16 kHz mono silence, whose header may announce more frames.
  private func wav(frames: Int, announced: Int? = nil) -> [UInt8] {
    let length = UInt32((announced ?? frames) * 2)
    let number = { (value: UInt32, count: Int) in
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
    }
    return Array("RIFF".utf8) + number(36 + length, 4) + Array("WAVEfmt ".utf8) + number(16, 4)
      + number(1, 2) + number(1, 2) + number(16_000, 4) + number(32_000, 4) + number(2, 2)
      + number(16, 2) + Array("data".utf8) + number(length, 4)
      + [UInt8](repeating: 0, count: 2 * frames)
  }

  /// Returns a request with a form.
  private func request(
    _ fields: KeyValuePairs<String, String> = ["model": "syrinx"], file: [UInt8]?,
    path: String = "transcriptions", type: String = "multipart/form-data; boundary=b"
  ) -> [UInt8] {
    var body = fields.map {
      "--b\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\($1)\r\n"
    }.joined().utf8.map { $0 }
    if let file {
      let header = "Content-Disposition: form-data; name=\"file\"; filename=\"talk.wav\""
      body += Array("--b\r\n\(header)\r\nContent-Type: audio/wav\r\n\r\n".utf8) + file
      body += Array("\r\n".utf8)
    }
    body += Array("--b--\r\n".utf8)
    let head = """
      POST /v1/audio/\(path) HTTP/1.1\r
      Host: localhost\r
      Connection: close\r
      Content-Type: \(type)\r
      Content-Length: \(body.count)\r
      \r

      """
    return Array(head.utf8) + body
  }

  private func body(of answer: String) -> String {
    String(answer.split(separator: "\r\n\r\n", maxSplits: 1).last ?? "")
  }

  private func error(of answer: String) throws -> [String: JSONValue] {
    let body = try #require(JSONValue(parsing: Array(body(of: answer).utf8)))
    return try #require(body["error"]?.object, "\(answer)")
  }

  /// Returns the events of a response that is sent in chunks.
  private func events(of answer: String) -> [JSONValue] {
    answer.split(separator: "\r\n").filter { $0.hasPrefix("data: ") }.flatMap { chunk in
      chunk.split(separator: "\n\n").compactMap { JSONValue(parsing: Array($0.utf8.dropFirst(6))) }
    }
  }

  @Test func `a file is recognized with the parameters of its form`() async throws {
    try await serving { client in
      let answer = try await client.send(
        request(["model": "syrinx", "language": "de"], file: wav(frames: 3_200)))
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.contains("\r\nContent-Type: application/json\r\n"))
      #expect(answer.contains("\r\nSyrinx-Model: test\r\n"))
      #expect(!answer.contains("Syrinx-Notice") && !answer.contains("Syrinx-Warning"))
      #expect(
        body(of: answer)
          == #"""
          {"text":"3200 frames at 16000 in de","usage":{"seconds":0.2,"type":"duration"}}
          """#)
    }
  }

  @Test func `a file larger than a piece is recognized as text`() async throws {
    try await serving { client in
      let answer = try await client.send(
        request(["response_format": "text", "model": "syrinx"], file: wav(frames: 1_000_000)))
      #expect(body(of: answer) == "1000000 frames at 16000 in any\n")
      #expect(answer.contains("\r\nContent-Type: text/plain; charset=utf-8\r\n"))
    }
  }

  @Test func `a translation asks the engine to translate`() async throws {
    var speech = SpeechClient()
    speech.recognition = { request in
      guard case .buffers(let buffers) = request.source else { return .finished() }
      let text = "\(request.translates) \(request.locale ?? "")"
      return SpeechRecognitionEvent.events(
        of: AsyncThrowingStream { results in
          Task {
            for try await _ in buffers {}
            results.yield(.final(text))
            results.finish()
          }
        })
    }
    try await serving(speech) { client in
      let answer = try await client.send(request(file: wav(frames: 10), path: "translations"))
      #expect(answer.contains(#""text":"true auto""#))
    }
  }

  @Test func `an unknown model is served by the default, and a field says so`() async throws {
    try await serving { client in
      let answer = try await client.send(request(["model": "whispér-1"], file: wav(frames: 1)))
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.contains("\r\nSyrinx-Notice: there is no model \"whisp?r-1\", so the default"))
      #expect(answer.contains("\r\nSyrinx-Model: test\r\n"))
    }
  }

  @Test func `a stream has a delta for each utterance, and ends with the whole text`() async throws
  {
    let speech = SpeechClient.scripted { pull, buffers in
      if pull == 1 { for try await _ in buffers {} }
      return pull < 3 ? .final("text \(pull)", utterance: pull) : nil
    }
    try await serving(speech) { client in
      let answer = try await client.send(
        request(["stream": "true", "model": "syrinx"], file: wav(frames: 160)))
      #expect(answer.contains("\r\nContent-Type: text/event-stream\r\n"))
      let events = events(of: answer)
      #expect(events.compactMap { $0["delta"]?.string } == ["text 1", " text 2"])
      #expect(events.last?["text"] == "text 1 text 2")
      #expect(events.last?["usage"]?["seconds"] == .number(0.01))
      #expect(answer.hasSuffix("\r\n0\r\n\r\n"))
    }
  }

  @Test func `a truncated file is recognized, and a field reports what is missing`() async throws {
    try await serving { client in
      let answer = try await client.send(request(file: wav(frames: 16_000, announced: 32_000)))
      #expect(answer.contains("16000 frames"))
      #expect(answer.contains("\r\nSyrinx-Warning: the file is incomplete: 1.000 s of 2.000 s"))
    }
  }

  @Test(
    arguments: [
      (Array("no audio at all".utf8), "talk.wav is not a sound file"),
      ([], "talk.wav is empty"), (Array("RIFF".utf8), "talk.wav"),
    ] as [([UInt8], String)])
  func `a file without audio has the status 400 with the reader's reason`(
    file: [UInt8], reason: String
  ) async throws {
    try await serving { client in
      let answer = try await client.send(request(file: file))
      #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
      let error = try error(of: answer)
      #expect(error["param"] == "file")
      #expect(error["code"] == "invalid_file")
      #expect(error["message"]?.string?.contains(reason) == true, "\(error)")
    }
  }

  @Test func `a sound file without a frame has the status 400`() async throws {
    try await serving { client in
      let answer = try await client.send(request(file: wav(frames: 0)))
      #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(answer)")
    }
  }

  @Test func `a form without a file, or another content type, is refused`() async throws {
    try await serving { client in
      let missing = try await client.send(request(file: nil))
      #expect(missing.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
      #expect(try error(of: missing)["param"] == "file")
      let json = try await client.send(request(file: wav(frames: 1), type: "application/json"))
      #expect(json.hasPrefix("HTTP/1.1 415 Unsupported Media Type\r\n"))
      let wrong = try await client.send(
        request(["model": "x", "temperature": "9"], file: wav(frames: 1)))
      #expect(try error(of: wrong)["param"] == "temperature")
    }
  }

  @Test func `a file over the limit has the status 413`() async throws {
    try await serving(options: { $0.uploadLimit = 100_000 }) { client in
      let answer = try await client.send(request(file: wav(frames: 100_000)))
      #expect(answer.hasPrefix("HTTP/1.1 413 Payload Too Large\r\n"), "\(answer)")
      #expect(try error(of: answer)["code"] == "file_too_large")
      let small = try await client.send(request(file: wav(frames: 49_000)))
      #expect(small.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test(arguments: [
    (SpeechClientError.engineFailed(reason: "broken"), "500 Internal Server Error", "failed"),
    (.unavailable(reason: "no model"), "503 Service Unavailable", "unavailable"),
    (.invalidRequest(reason: "cannot translate"), "400 Bad Request", "unsupported_by_model"),
  ])
  func `a failed recognition has a status and a code`(
    failure: SpeechClientError, status: String, code: String
  ) async throws {
    try await serving(.scripted { _, _ in throw failure }) { client in
      let answer = try await client.send(request(file: wav(frames: 10)))
      #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"))
      #expect(try error(of: answer)["code"] == .string(code))
      let stream = try await client.send(
        request(["model": "x", "stream": "true"], file: wav(frames: 10)))
      #expect(stream.hasPrefix("HTTP/1.1 \(status)\r\n"))
    }
  }

  @Test func `a language or a translation that the model lacks is a fault`() async throws {
    let speech = SpeechClient.scripted { _, _ in
      throw SpeechClientError.unavailable(reason: "no model for de")
    }
    try await serving(speech) { client in
      let answer = try await client.send(
        request(["model": "x", "language": "de"], file: wav(frames: 10)))
      #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
      #expect(try error(of: answer)["param"] == "language")
      let translation = try await client.send(request(file: wav(frames: 10), path: "translations"))
      #expect(translation.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
      #expect(try error(of: translation)["code"] == "unsupported_by_model")
    }
  }

  @Test func `a stream that fails ends with an error event`() async throws {
    let speech = SpeechClient.scripted { pull, _ in
      guard pull == 1 else { throw SpeechClientError.engineFailed(reason: "broken") }
      return .final("one")
    }
    try await serving(speech) { client in
      let answer = try await client.send(
        request(["model": "x", "stream": "true"], file: wav(frames: 10)))
      let events = events(of: answer)
      #expect(events.first?["delta"] == "one")
      #expect(events.last?["error"]?["code"] == "failed")
      #expect(events.count == 2)
      #expect(answer.hasSuffix("\r\n0\r\n\r\n"))
    }
  }

  @Test func `the recognition of a client that leaves is canceled, and the status is 499`()
    async throws
  {
    let begun = AsyncStream.makeStream(of: Void.self)
    let canceled = AsyncStream.makeStream(of: Void.self)
    let speech = SpeechClient.scripted { _, _ in
      begun.continuation.yield()
      await withTaskCancellationHandler {
        for await _ in AsyncStream<Void>.makeStream().stream {}
      } onCancel: {
        canceled.continuation.yield()
      }
      return nil
    }
    try await serving(speech) { [reports] client in
      let box = LinkBox()
      let request = request(file: wav(frames: 10))
      try await onThread {
        let link = try connect(client.address)
        box.put(link)
        _ = try link.write(request[...])
      }
      _ = await begun.stream.first { true }
      box.close()
      _ = await canceled.stream.first { true }
      let status = await reports.stream.compactMap { report in
        if case .responded(_, _, _, let status, _) = report { status } else { nil }
      }.first { _ in true }
      #expect(status == 499)
    }
  }

  @Test func `while a file is recognized, it has no name`() async throws {
    let targets = Mutex<[String]>([])
    let speech = SpeechClient.scripted { pull, buffers in
      guard pull == 1 else { return nil }
      targets.withLock { targets in
        targets =
          (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?
          .compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
          }
          ?? []
      }
      for try await _ in buffers {}
      return .final("done")
    }
    try await serving(speech) { client in
      let answer = try await client.send(request(file: wav(frames: 10)))
      #expect(answer.contains("done"))
    }
    let folder = FileManager.default.temporaryDirectory.path
    #expect(
      targets.withLock { $0 }.contains { $0.hasPrefix(folder) && $0.hasSuffix(" (deleted)") })
  }
}

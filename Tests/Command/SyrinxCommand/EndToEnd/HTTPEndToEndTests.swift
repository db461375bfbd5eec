import Foundation
import Glibc
import TestTools
import Testing

/// Tests the command as an HTTP server, with the official client, the PyPI package `openai`, and
/// with the PyPI package `websockets`.
@Suite(.timeLimit(.minutes(5)))
struct HTTPEndToEndTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.speech("said.wav")
  }

  /// Starts a server on a free port, and returns it with its address.
  private func serve(_ options: String...) async throws -> (server: RunningCommand, url: Substring)
  {
    let server = try RunningCommand(
      arguments: ["serve", "--http", "tcp://127.0.0.1:0", "--engine", "pocketsphinx"] + options,
      in: folder, watching: .error)
    let line = await server.lines.first(containing: "listening on ")
    return (server, try #require(line?.firstMatch(of: #/http://[^; ]*/#)).output)
  }

  /// Runs a Python client, and returns what it printed.
  private func run(_ client: String, _ arguments: String) async throws -> BuiltCommand.Outcome {
    try await BuiltCommand.shell(
      """
      bash '\(Checkout.root.path)/Tests/Support/python.sh' &&
      sox said.wav -r 24000 live.wav pad 0.2 0 && sox said.wav said.flac &&
      sox said.wav -t ul -r 8000 live.ul && sox said.wav -t al -r 8000 live.al &&
      sox said.wav long.wav repeat 40 && sox -n -r 16000 -b 16 silence.wav trim 0 3 &&
      sox -M silence.wav said.wav both.wav &&
      PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='\(Checkout.root.path)/.build/python' \
      python3 '\(Checkout.root.path)/Tests/Support/HTTP/\(client)' \(arguments)
      """, in: folder)
  }

  @Test func `the official Python client gets transcripts, live events, and its own errors`()
    async throws
  {
    try Data("key-of-the-tests\n".utf8).write(to: folder.file("keys"))
    let (server, url) = try await serve()
    let (limited, other) = try await serve(
      "--api-key-file", "keys", "--connections", "1", "--upload-limit", "5000000")
    let run = try await run("openai_client.py", "\(url) . \(other) key-of-the-tests")
    for server in [server, limited] { server.send(SIGTERM) }
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.outputLines.last == "14 passed, 0 failed")
    #expect(await server.status() == 0)
    #expect(await limited.status() == 0)
  }

  @Test
  func `a plain WebSocket client gets transcripts, and its violations have codes`()
    async throws
  {
    let (server, url) = try await serve()
    let run = try await run("websocket_client.py", "\(url) .")
    server.send(SIGTERM)
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.outputLines.last == "10 passed, 0 failed")
    #expect(await server.status() == 0)
  }
}

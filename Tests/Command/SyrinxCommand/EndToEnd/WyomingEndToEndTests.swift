import AudioCore
import Foundation
import Glibc
import SoundFile
import SpeechEngine
import TestTools
import Testing
import Wyoming
import WyomingEngine

/// Tests the command as a Wyoming server, with clients of the PyPI package `wyoming` and with our
/// own engine.
@Suite(.timeLimit(.minutes(5)))
struct WyomingEndToEndTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.speech("said.wav")
  }

  /// Returns a shell command that installs the PyPI package and runs the Python client.
  private func client(_ arguments: String) -> String {
    """
    bash '\(Checkout.root.path)/Tests/Support/python.sh' && \
    PYTHONPATH='\(Checkout.root.path)/.build/python' \
    python3 '\(Checkout.root.path)/Tests/Support/Wyoming/client.py' \(arguments)
    """
  }

  /// Checks the output of the client: the event types in order, and the texts of transcripts.
  private func check(_ lines: [String], times: Int = 1) throws {
    let events = try lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    let types = events.compactMap { $0["type"] as? String }
    #expect(types.prefix(2) == ["info", "pong"])
    let texts = events.filter { $0["type"] as? String == "transcript" }
      .compactMap { ($0["data"] as? [String: Any])?["text"] as? String }
    #expect(texts == [String](repeating: "go forward ten meters", count: times))
    let chunks = events.filter { $0["type"] as? String == "transcript-chunk" }
      .compactMap { ($0["data"] as? [String: Any])?["text"] as? String }
    #expect(chunks.joined() == texts.joined())
    #expect(types.count { $0 == "transcript-stop" } == times)
    #expect(types.contains("voice-started") && types.contains("voice-stopped"))
  }

  @Test func `several Python clients over TCP get their transcripts at the same time`() async throws
  {
    let server = try RunningCommand(
      "serve", "--wyoming", "tcp://127.0.0.1:0", in: folder, watching: .error)
    let line = await server.lines.first(containing: "listening on ")
    let address = try #require(line?.firstMatch(of: #/tcp:[^;]*/#)).output
    let run = try await BuiltCommand.shell(
      """
      \(client("\(address) said.wav en-US 2")) > one &
      \(client("\(address) said.wav")) > two &
      wait -n && wait -n && cat one; echo; cat two
      """, in: folder)
    server.send(SIGTERM)
    #expect(run.status == 0, "\(run.error)")
    let parts = run.output.split(separator: "\n\n").map {
      $0.split(separator: "\n").map(String.init)
    }
    try #require(parts.count == 2, "\(run.output)")
    try check(parts[0], times: 2)
    try check(parts[1])
    #expect(await server.status() == 0)
  }

  @Test func `a transcription opens exactly one connection to the server`() async throws {
    let server = try RunningCommand(
      "serve", "--wyoming", "tcp://127.0.0.1:0", "--connections", "1", in: folder, watching: .error)
    let line = await server.lines.first(containing: "listening on ")
    let address = try #require(line?.firstMatch(of: #/tcp:[^;]*/#)).output
    let run = try await BuiltCommand.shell(
      "syrinx transcribe said.wav --engine wyoming --server \(address)", in: folder)
    server.send(SIGTERM)
    #expect(run.output == "go forward ten meters\n", "\(run.error)")
    let log = await server.lines.reduce(into: []) { $0.append($1) }
    #expect(log.count { $0.contains(" connected from ") } == 1, "\(log)")
    #expect(await server.status() == 0)
  }

  @Test
  func
    `a Python client on a Unix socket gets the transcript of 24-bit stereo at 44.1 kHz`()
    async throws
  {
    let socket = folder.file("s").path
    let server = try RunningCommand(
      "serve", "--wyoming", "unix://\(socket)", in: folder, watching: .error)
    #expect(await server.lines.first(containing: "listening on ") != nil)
    let run = try await BuiltCommand.shell(
      """
      sox said.wav -r 44100 -c 2 -b 24 -t wavpcm other.wav && \(client("unix://\(socket) other.wav"))
      """, in: folder)
    server.send(SIGTERM)
    #expect(run.status == 0, "\(run.error)")
    try check(run.outputLines)
    #expect(await server.status() == 0)
  }

  @Test func `a Python client on standard input and output gets its transcript`() async throws {
    let run = try await BuiltCommand.shell(
      """
      mkfifo back
      (\(client("stdio:// said.wav"))) < back 2> events | syrinx serve --wyoming stdio > back
      cat events
      """, in: folder)
    #expect(run.status == 0, "\(run.error)")
    try check(run.outputLines.filter { $0.hasPrefix("{") })
  }

  // MARK: Our own engine with a server process

  private func engine(_ before: String = "") -> SpeechEngine {
    var options = WyomingEngineOptions()
    options.describeTimeout = .seconds(120)
    options.answerTimeout = .seconds(120)
    return .wyoming(
      server: .stdio(
        command: """
          \(before) SWIFT_BACKTRACE=enable=no exec '\(BuiltCommand.url.path)' \
          serve --wyoming stdio --engine pocketsphinx
          """),
      options: options)
  }

  private func samples() throws -> [Float] {
    try SoundFileReader(url: folder.file("said.wav")).read(atMost: 1_000_000).samples
  }

  @Test func `the Wyoming engine with a child server recognizes the same words as PocketSphinx`()
    throws
  {
    let session = try engine().makeSession(SpeechSessionOptions(language: "en-US"))
    for _ in 0..<2 {
      try session.beginUtterance()
      let samples = try samples()
      for begin in stride(from: 0, to: samples.count, by: 1600) {
        try session.process(Array(samples[begin..<min(begin + 1600, samples.count)]))
      }
      let words = try session.finishUtterance().words
      #expect(words.map(\.text) == ["go", "forward", "ten", "meters"])
      #expect(words.last.map { $0.frames.upperBound.rawValue <= samples.count } == true)
    }
  }

  @Test(arguments: [(SIGKILL, "signal 9 (Killed)"), (SIGABRT, "signal 6 (Aborted)")])
  func `a killed child server is an error, and the next session starts a new child`(
    signal: Int32, name: String
  ) throws {
    let engine = engine("echo $$ > '\(folder.file("pid").path)';")
    let session = try engine.makeSession(SpeechSessionOptions())
    try session.beginUtterance()
    try session.process([Float](repeating: 0.1, count: 16_000))
    let pid = try String(contentsOf: folder.file("pid"), encoding: .utf8)
    let child = try #require(Int32(pid.trimmingCharacters(in: .newlines)))
    kill(child, signal)
    let error = #expect(throws: SpeechEngineError.self) {
      for _ in 0..<100 { try session.process([Float](repeating: 0.1, count: 1_600)) }
      _ = try session.finishUtterance()
    }
    #expect(error?.description.contains(name) == true, "\(error as Any)")
    // The child has been reaped, so its process id is free.
    #expect(kill(child, 0) == -1 && errno == ESRCH)
    #expect(throws: Never.self) { _ = try engine.makeSession(SpeechSessionOptions()) }
  }
}

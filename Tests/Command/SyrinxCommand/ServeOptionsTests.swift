import Foundation
import Glibc
import TestTools
import Testing

/// Tests the effect of each option of `syrinx serve` on a client.
@Suite(.timeLimit(.minutes(5)))
struct ServeOptionsTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  /// Returns the server's responses to bytes on standard input.
  private func answers(to frames: Data, _ options: String) async throws -> String {
    try frames.write(to: folder.file("frames"))
    let run = try await BuiltCommand.shell(
      "syrinx serve --wyoming stdio \(options) < <(cat frames) | cat", in: folder)
    #expect(run.status == 0, "\(run.error)")
    return run.output
  }

  @Test(arguments: [
    ("--header-limit", #"{"type":"ping","data":{"text":"0123456789012345678901234567"}}"# + "\n"),
    (
      "--data-limit",
      #"{"type":"ping","data_length":52}"# + "\n"
        + #"{"text":"0123456789012345678901234567890123456789"} "#
    ),
    (
      "--payload-limit",
      #"{"type":"ping","payload_length":52}"# + "\n" + String(repeating: "x", count: 52)
    ),
  ])
  func `a message beyond a size limit is refused as malformed`(option: String, frame: String)
    async throws
  {
    for limit in ["", "\(option) 100"] {
      let answers = try await answers(to: Data(frame.utf8), limit)
      #expect(answers.contains(#""type":"pong""#), "\(answers)")
      #expect(!answers.contains(#""type":"error""#), "\(answers)")
    }
    let answers = try await answers(to: Data(frame.utf8), "\(option) 50")
    #expect(!answers.contains(#""type":"pong""#), "\(answers)")
    #expect(answers.contains(#""code":"malformed""#), "\(answers)")
  }

  @Test func `a client that exceeds the idle timeout gets an error event`() async throws {
    // The other end of the pipe stays open, but nothing is written.
    let run = try await BuiltCommand.shell(
      "mkfifo open; exec 3<>open; syrinx serve --wyoming stdio --idle-timeout 0.2 <&3 | cat",
      in: folder)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output.contains(#""code":"idle""#), "\(run.output)")
  }

  /// Runs a shell script with a server; `$port` is the server's port.
  private func serving(_ options: String..., line: String) async throws -> [String] {
    try await serving(arguments: options, line: line)
  }

  private func serving(arguments: [String], line: String) async throws -> [String] {
    let server = try RunningCommand(
      arguments: ["serve"] + arguments, in: folder, watching: .error)
    let listening = await server.lines.first(containing: "listening on ")
    let port = try #require(listening?.firstMatch(of: #/:(\d+);/#)).output.1
    let run = try await BuiltCommand.shell("port=\(port); \(line)", in: folder)
    server.send(SIGTERM)
    #expect(run.status == 0, "\(run.error)")
    #expect(await server.status() == 0)
    return run.outputLines
  }

  /// Two clients begin to speak, and then the first one sends a ping.
  private static let twoClients = """
    start='{"type":"audio-start","data":{"rate":16000,"width":2,"channels":1}}'
    exec 3<>/dev/tcp/127.0.0.1/$port; echo "$start" >&3; echo '{"type":"ping"}' >&3
    read -r line <&3; echo "$line"
    exec 4<>/dev/tcp/127.0.0.1/$port; { echo "$start" >&4; echo '{"type":"ping"}' >&4; } 2>&-
    read -r line <&4; echo "$line"
    { echo '{"type":"ping"}' >&3; } 2>&-
    read -r line <&3; echo "$line"
    """

  @Test func `of more clients than recognizers, one is refused or replaced`() async throws {
    let alone = try await serving(
      "--wyoming", "tcp://127.0.0.1:0", "--connections", "1", line: Self.twoClients)
    #expect(alone.count { $0.contains("pong") } == 2, "\(alone)")
    #expect(alone.count { $0.contains("error") } == 1, "\(alone)")
    let both = try await serving(
      "--wyoming", "tcp://127.0.0.1:0", "--connections", "2", line: Self.twoClients)
    #expect(both.count { $0.contains("pong") } == 3, "\(both)")
  }

  @Test func `--allow-remote serves an address that other machines can reach`() async throws {
    let answers = try await serving(
      "--wyoming", "tcp://0.0.0.0:0", "--allow-remote", line: Self.twoClients)
    #expect(answers.count { $0.contains("pong") } == 3, "\(answers)")
  }

  /// Returns the first line of the response to a request of `$1` with the field `$2`.
  private static let status = """
    status() { exec 3<>/dev/tcp/127.0.0.1/$port; printf 'GET %s HTTP/1.1\\r\\nHost: %s\\r\\n\
    Connection: close\\r\\n%s\\r\\n' "$1" "${3:-localhost}" "$2" >&3; head -n 1 <&3 | tr -d '\\r'; }
    """

  @Test func `--api-key-file requires one of its keys, which its comments are not`() async throws {
    try Data("# keys\n\none\n two \n".utf8).write(to: folder.file("keys"))
    let lines = try await serving(
      "--http", "tcp://0.0.0.0:0", "--allow-remote", "--api-key-file", "keys",
      line: """
        \(Self.status); status / ''; status /v1/models ''
        for key in one two '# keys'; do status /v1/models "Authorization: Bearer $key"$'\\r\\n'; done
        """)
    #expect(
      lines.map { $0.split(separator: " ")[1] } == ["200", "401", "200", "200", "401"], "\(lines)")
  }

  @Test func `--allowed-host accepts the name of a reverse proxy`() async throws {
    for (option, status) in [([], "403"), (["--allowed-host", "speech.example"], "200")] {
      let lines = try await serving(
        arguments: ["--http", "tcp://127.0.0.1:0"] + option,
        line: "\(Self.status); status /v1/models '' speech.example")
      #expect(lines.map { $0.split(separator: " ")[1] } == [Substring(status)], "\(lines)")
    }
  }

  @Test func `--upload-limit refuses a larger file`() async throws {
    let lines = try await serving(
      "--http", "tcp://127.0.0.1:0", "--upload-limit", "1000",
      line: """
        exec 3<>/dev/tcp/127.0.0.1/$port; printf 'POST /v1/audio/transcriptions HTTP/1.1\\r\\nHost: \
        localhost\\r\\nContent-Type: multipart/form-data; boundary=b\\r\\nContent-Length: 20000000\
        \\r\\n\\r\\n' >&3; head -n 1 <&3 | tr -d '\\r'
        """)
    #expect(lines == ["HTTP/1.1 413 Payload Too Large"])
  }

  @Test func `one server speaks HTTP and Wyoming`() async throws {
    let server = try RunningCommand(
      arguments: ["serve", "--http", "tcp://127.0.0.1:0", "--wyoming", "tcp://127.0.0.1:0"],
      in: folder, watching: .error)
    var schemes: Set<Substring> = []
    for _ in 0..<2 {
      let line = try #require(await server.lines.first(containing: "listening on "))
      let match = try #require(line.firstMatch(of: #/on (\w+):\/\/127.0.0.1:(\d+);/#))
      schemes.insert(match.output.1)
    }
    server.send(SIGTERM)
    #expect(await server.status() == 0)
    #expect(schemes == ["http", "tcp"])
  }

  // MARK: Log

  /// Returns the log of a server that has recognized a recording and refused a malformed frame.
  private func log(_ options: String...) async throws -> [String] {
    try await frames(of: "go-forward.wav").write(to: folder.file("frames"))
    let server = try RunningCommand(
      arguments: ["serve", "--wyoming", "tcp://127.0.0.1:0"] + options, in: folder, watching: .error
    )
    let listening = try #require(await server.lines.first(containing: "listening"))
    let port = try #require(listening.firstMatch(of: #/127.0.0.1:(\d+)/#)).output.1
    let run = try await BuiltCommand.shell(
      """
      exec 3<>/dev/tcp/127.0.0.1/\(port); cat frames >&3; grep -m 1 transcript-stop <&3
      exec 4<>/dev/tcp/127.0.0.1/\(port); echo garbage >&4; cat <&4
      """, in: folder)
    server.send(SIGTERM)
    #expect(run.output.contains("go forward ten meters"), "\(run.error)")
    #expect(await server.status() == 0)
    return await server.lines.reduce(into: [listening]) { $0.append($1) }
  }

  @Test func `the log has a line for each connection, transcript, and fault, and no spoken text`()
    async throws
  {
    let lines = try await log()
    try #require(lines.count == 5, "\(lines)")
    let connected = #/syrinx: client 1 connected from tcp:\/\/127\.0\.0\.1:\d+/#
    #expect(lines[1].wholeMatch(of: connected) != nil)
    let recognized = #/syrinx: client 1: recognized 2\.\d+ s of audio in [\d.]+ s/#
    #expect(lines[2].wholeMatch(of: recognized) != nil)
    #expect(lines[3].hasPrefix("syrinx: client 2 connected from tcp://127.0.0.1:"))
    #expect(lines[4].hasPrefix("syrinx: client 2: ") && lines[4].hasSuffix(" (malformed)"))
    #expect(!lines.contains { $0.contains("forward") })
  }

  @Test func `--log-format json writes each line of the log as an object`() async throws {
    let lines = try await log("--log-format", "json")
    let records = try lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(
      records.map { $0["event"] as? String }
        == ["listening", "connected", "recognized", "connected", "failed"])
    #expect(records.map { $0["client"] as? Int } == [nil, 1, 1, 2, 2])
    for record in records {
      #expect((record["time"] as? String)?.wholeMatch(of: #/[\d-]+T[\d:]+Z/#) != nil)
    }
    try #require(records.count == 5)
    #expect((records[1]["address"] as? String)?.hasPrefix("tcp://127.0.0.1:") == true)
    let audio = try #require(records[2]["audio"] as? Double)
    let elapsed = try #require(records[2]["elapsed"] as? Double)
    #expect(audio > 2 && audio < 3 && elapsed > 0)
    #expect(records[4]["code"] as? String == "malformed")
    #expect((records[4]["reason"] as? String)?.isEmpty == false)
    #expect(!lines.contains { $0.contains("forward") })
  }

  @Test(arguments: ["text", "json"])
  func `a client's text is escaped and truncated in the log`(format: String) async throws {
    let language = #"xx\nsyrinx: client 9: \u001b[2J"# + String(repeating: "x", count: 30_000)
    let frames = #"{"type":"transcribe","data":{"language":"\#(language)"}}"# + "\n"
    let recording = try await self.frames(of: "go-forward.wav")
    try (Data(frames.utf8) + recording).write(to: folder.file("frames"))
    let run = try await BuiltCommand.shell(
      "syrinx serve --wyoming stdio --log-format \(format) < <(cat frames) | cat", in: folder)
    #expect(run.output.contains(#""code":"unavailable""#), "\(run.output)")
    #expect(run.errorLines.count == 1, "\(run.error)")
    #expect(run.error.count < 600, "\(run.error)")
    #expect(!run.error.contains("\u{1B}"))
    #expect(run.error.contains("unavailable"))
  }

  @Test func `a server on standard input logs only faults and losses`() async throws {
    let run = try await BuiltCommand.shell(
      "echo garbage | syrinx serve --wyoming stdio | cat", in: folder)
    #expect(run.errorLines.count == 1, "\(run.error)")
    #expect(run.error.contains("(malformed)"))
  }

  // MARK: Recognition

  /// Returns a recording as frames of the protocol: 16 bits, 16 kHz, mono.
  private func frames(of name: String) async throws -> Data {
    let copy = "\(UUID()).wav"
    try folder.sample(name, as: copy)
    let run = try await BuiltCommand.shell("sox \(copy) -t raw said.raw", in: folder)
    #expect(run.status == 0, "\(run.error)")
    let format = #""rate":16000,"width":2,"channels":1"#
    let audio = try Data(contentsOf: folder.file("said.raw"))
    var frames = Data("{\"type\":\"audio-start\",\"data\":{\(format)}}\n".utf8)
    for begin in stride(from: 0, to: audio.count, by: 3200) {
      let part = audio[begin..<min(begin + 3200, audio.count)]
      frames += Data(
        "{\"type\":\"audio-chunk\",\"data\":{\(format)},\"payload_length\":\(part.count)}\n".utf8)
      frames += part
    }
    return frames + Data("{\"type\":\"audio-stop\"}\n".utf8)
  }

  /// Returns the number of voice-started events and the transcript for a recording.
  private func outcome(_ name: String, _ options: String) async throws -> (
    voices: Int, text: String?
  ) {
    let answers = try await answers(to: try await frames(of: name), options)
    let text = answers.firstMatch(of: #/"type":"transcript"}\n{"text":"([^"]*)"}/#)
    return (answers.ranges(of: #""type":"voice-started""#).count, text.map { String($0.output.1) })
  }

  @Test func `a server for a language without an engine ends with the command that installs one`()
    async throws
  {
    let run = try await BuiltCommand.shell(
      "syrinx serve --wyoming stdio --locale fr-FR </dev/null", in: folder)
    #expect(run.status == 1)
    #expect(run.error.contains("`syrinx engines install whisper`"), "\(run.error)")
  }

  @Test func `grammar and key phrases determine what is recognized`() async throws {
    let plain = try await outcome("go-forward.wav", "")
    #expect(plain == (1, "go forward ten meters"))
    try Data("#JSGF V1.0; grammar a; public <a> = go backward | turn left;".utf8).write(
      to: folder.file("a.gram"))
    let text = try await outcome("go-forward.wav", "--grammar a.gram").text
    #expect(text == "go backward" || text == "turn left" || text == "", "\(text as Any)")
    #expect(try await outcome("go-forward.wav", "--key-phrase forward").text == "forward")
    let wrong = try await answers(
      to: try await frames(of: "go-forward.wav"), "--engine-option nonsense=1")
    #expect(wrong.contains(#""type":"error""#), "\(wrong)")
  }

  @Test func `a grammar in a pipe applies to every transcription`() async throws {
    let frames = try await frames(of: "go-forward.wav")
    let answers = try await answers(
      to: frames + frames,
      "--grammar <(echo '#JSGF V1.0; grammar a; public <a> = go forward;')")
    #expect(answers.ranges(of: #"{"text":"go forward"}"#).count >= 2, "\(answers)")
    #expect(!answers.contains(#""type":"error""#), "\(answers)")
  }

  @Test func `the endpoint options determine where an utterance ends`() async throws {
    #expect(try await outcome("two-utterances.wav", "").voices == 2)
    #expect(try await outcome("two-utterances.wav", "--end-silence 5").voices == 1)
    #expect(try await outcome("two-utterances.wav", "--longest-utterance 1").voices > 2)
  }
}

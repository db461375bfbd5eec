import Foundation
import TestTools
import Testing

/// Tests files on a local web server, written in Python.
@Suite(.timeLimit(.minutes(5)))
struct WebAddressTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test func `'play' plays a file on the web`() async throws {
    try folder.tone("a.wav", .milliseconds(200))
    let run = try await withServer("syrinx play $server/a.wav -d virtual --json")
    #expect(run.status == 0, "\(run.error)")
    #expect(run.outputLines.last?.contains(#""played":0.2"#) == true, "\(run.output)")
  }

  @Test func `'info' prints the format of a file on the web`() async throws {
    try folder.tone("a.wav", .milliseconds(200))
    let run = try await withServer("syrinx info $server/a.wav $server/none.wav --json")
    #expect(run.status == 1)
    #expect(run.outputLines.count == 2)
    #expect(run.outputLines.last?.contains(#""error":""#) == true)
    let size = try Data(contentsOf: folder.file("a.wav")).count
    #expect(run.output.contains(#""bytes":\#(size),"#), "\(run.output)")
    #expect(run.output.contains(#"/a.wav""#) && run.output.contains(#""rate":16000"#))
    #expect(run.errorLines.count == 1)
    #expect(run.error.contains("/none.wav: FFmpeg reports: Server returned 404"), "\(run.error)")
  }

  @Test func `'info' does not report an intact file on the web as truncated`() async throws {
    try folder.tone("a.wav", .milliseconds(200))
    let run = try await withServer("syrinx info $server/a.wav --json")
    #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
    #expect(!run.output.contains(#""missing":"#), "\(run.output)")
  }

  @Test func `'transcribe' transcribes a file on the web`() async throws {
    try folder.speech("go.wav")
    let run = try await withServer("syrinx transcribe $server/go.wav")
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output == "go forward 10 meters\n")
  }

  @Test func `a file missing on the server causes one message, and the other files are played`()
    async throws
  {
    try folder.tone("a.wav", .milliseconds(100))
    let run = try await withServer("syrinx play $server/none.wav a.wav -d virtual --json")
    #expect(run.status == 1)
    #expect(run.errorLines.count == 1)
    #expect(run.error.contains("/none.wav: FFmpeg reports: Server returned 404"), "\(run.error)")
    #expect(run.output.contains(#""reason":"completed""#))
  }

  @Test func `a redirection is followed, and an endless redirection is an error`() async throws {
    try folder.tone("a.wav", .milliseconds(200))
    let server = """
      import http.server
      class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
          if self.path == "/a.wav": return super().do_GET()
          target = {"/1": "/2", "/2": "/a.wav"}.get(self.path, self.path)
          self.send_response(302)
          self.send_header("Location", target)
          self.end_headers()
      server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
      print("port", server.server_port, flush=True)
      server.serve_forever()
      """
    try Data(server.utf8).write(to: folder.file("server.py"))
    let run = try await BuiltCommand.shell(
      """
      mkfifo port
      python3 -u server.py >port 2>log & python=$!
      read -r line <port || { cat log >&2; exit 1; }
      server=http://127.0.0.1:${line#port }
      syrinx info $server/1 --json; syrinx info $server/loop; status=$?
      kill $python; exit $status
      """, in: folder)
    #expect(run.status == 1)
    #expect(run.output.contains(#""rate":16000"#), "\(run.error)")
    #expect(run.errorLines.count == 1 && run.error.contains("it redirects too often"))
  }

  /// Runs a script in which `$server` is the address of a web server.
  ///
  /// - Parameters:
  ///   - body: the lines of the Python function that responds to a request.
  ///   - script: the script to run.
  private func withServer(answering body: String, _ script: String) async throws
    -> BuiltCommand.Outcome
  {
    let server = """
      import http.server, socketserver
      class Handler(http.server.SimpleHTTPRequestHandler):
        def answer(self, type, parts, *headers):
          self.send_response(200)
          for name, value in (("Content-Type", type),) + headers: self.send_header(name, value)
          self.end_headers()
          for part in parts: self.wfile.write(part)
        def do_GET(self):
      \(body.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
      class Server(socketserver.ThreadingMixIn, http.server.HTTPServer): daemon_threads = True
      server = Server(("127.0.0.1", 0), Handler)
      print("port", server.server_port, flush=True)
      server.serve_forever()
      """
    try Data(server.utf8).write(to: folder.file("server.py"))
    return try await BuiltCommand.shell(
      """
      mkfifo port
      python3 -u server.py >port 2>log & python=$!
      read -r line <port || { cat log >&2; exit 1; }
      server=http://127.0.0.1:${line#port }
      \(script); status=$?
      kill $python; exit $status
      """, in: folder)
  }

  @Test func `'play' plays the entries of a playlist on the web, after a redirection`() async throws
  {
    try folder.tone("a.wav", .milliseconds(200))
    let run = try await withServer(
      answering: """
        if self.path == "/list": self.answer("audio/x-scpls", [b"[playlist]\\nFile1=a.wav\\n"])
        elif self.path == "/a.wav": super().do_GET()
        else: self.send_response(302), self.send_header("Location", "list"), self.end_headers()
        """, "syrinx play $server/radio a.wav -d virtual --json")
    #expect(run.status == 0, "\(run.error)")
    #expect(run.outputLines.last?.contains(#""played":0.4"#) == true, "\(run.output)")
    #expect(run.output.contains("/a.wav"))
  }

  @Test func `a live stream's titles are events, and its end is not reported as missing audio`()
    async throws
  {
    try folder.tone("a.wav", .seconds(2))
    let run = try await withServer(
      answering: """
        with open("a.mp3", "rb") as file: data = file.read()
        def part(index):
          title = b"StreamTitle='Song %d \\x7f';" % (index // 4) if index % 4 == 0 else b""
          title += bytes(-len(title) % 16)
          return data[index * 2000:][:2000] + bytes([len(title) // 16]) + title
        # Its last frame is cut, and the server announces no length.
        self.answer("audio/mpeg", map(part, range(len(data) // 2000)), ("icy-metaint", "2000"))
        """,
      """
      ffmpeg -v error -i a.wav -b:a 64k -write_xing 0 a.mp3 &&
        syrinx play $server/radio -d virtual --json &&
        script -qec "syrinx play $server/radio -d virtual" /dev/null | tr -d '\\r' >terminal
      """)
    #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
    let titles = run.outputLines.filter { $0.contains(#""event":"title""#) }
    #expect(titles.count >= 1 && titles.last?.contains(#""item":0"#) == true, "\(run.output)")
    let exact = [#""title":"Song 0 \\x7F""#, #""title":"Song 1 \\x7F""#]
    #expect(titles.allSatisfy { line in exact.contains(where: line.contains) }, "\(titles)")
    #expect(!run.output.contains("shortfall"))
    let terminal = try String(contentsOf: folder.file("terminal"), encoding: .utf8)
    #expect(terminal.contains("\nSong "), "\(terminal)")
  }

  @Test func `the error for a playlist missing on the server contains the server's response`()
    async throws
  {
    let run = try await withServer("syrinx play $server/none.m3u -d virtual")
    #expect(run.status == 1 && run.errorLines.count == 1)
    #expect(run.error.contains("/none.m3u: FFmpeg reports: Server returned 404"), "\(run.error)")
  }

  @Test func `without FFmpeg, the error reports that it is missing`() async throws {
    let run = try await BuiltCommand.shell(
      "syrinx=$(command -v syrinx); PATH=/nowhere $syrinx play http://127.0.0.1:1/a.wav -d virtual",
      in: folder)
    #expect(run.status == 1)
    #expect(run.error.contains("only FFmpeg reads; install ffmpeg"), "\(run.error)")
  }

  /// Runs a script in which `$server` is the address of the test's folder.
  private func withServer(_ script: String) async throws -> BuiltCommand.Outcome {
    try await BuiltCommand.shell(
      """
      mkfifo port
      python3 -u -m http.server 0 --bind 127.0.0.1 >port 2>log & python=$!
      read -r line <port || { cat log >&2; exit 1; }
      line=${line#* port }
      server=http://127.0.0.1:${line%% *}
      \(script); status=$?
      kill $python; exit $status
      """, in: folder)
  }
}

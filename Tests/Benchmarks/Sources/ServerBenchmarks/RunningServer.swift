import BenchmarkTools
import Foundation

/// A running `syrinx serve --http`.
struct RunningServer {
  let url: String
  let program: Program

  /// Starts a server on a free port, waits until it listens, and has it recognize something once,
  /// so that its models are loaded.
  init(in bench: ServerBench, _ options: String...) throws {
    let log = bench.file("log-\(UUID().uuidString)")
    program = try Program(
      [
        "sh", "-c", "exec \"$@\" 2> '\(log)'", "sh", ServerBench.command, "serve", "--http",
        "tcp://127.0.0.1:0", "--engine", ServerBench.engine,
      ] + options, isSilent: true)
    let deadline = ContinuousClock.now + .seconds(60)
    var line: String?
    while line == nil, ContinuousClock.now < deadline {
      usleep(20_000)
      let text = try? String(contentsOfFile: log, encoding: .utf8)
      line = text?.firstMatch(of: #/http://[0-9.:]+/#).map { String($0.output) }
    }
    guard let line else {
      program.interrupt()
      throw Program.Failure(description: "the server does not listen; see \(log)")
    }
    url = line
    do {
      try Program.run(request(ServerBench.sample("go-forward.wav")), isSilent: true)
    } catch {
      program.interrupt()
      throw error
    }
  }

  /// Returns a command that requests the transcript of a file.
  func request(_ file: String) -> [String] {
    [
      "curl", "--silent", "--show-error", "--fail", "--form", "file=@\(file)", "--form",
      "model=\(ServerBench.engine)", "\(url)/v1/audio/transcriptions",
    ]
  }

  /// Runs Python with the packages of `Tests/Support/python.sh`.
  func client(_ name: String, _ arguments: String...) -> [String] {
    let root = ServerBench.root.path
    return [
      "env", "PYTHONPATH=\(root)/.build/python", "PYTHONDONTWRITEBYTECODE=1", "python3",
      "\(root)/Tests/Support/HTTP/\(name)", url,
    ] + arguments
  }

  func stop() throws {
    program.interrupt()
    _ = try program.cost()
  }
}

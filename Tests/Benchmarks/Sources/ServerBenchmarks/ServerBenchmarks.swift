import BenchmarkTools
import Foundation

/// Measures what the HTTP server costs and how soon it responds, compared in the same run with
/// `syrinx transcribe` on the same files.
///
/// ```sh
/// Tests/bench.sh ServerBenchmarks --check
/// ```
///
/// Options:
/// - `--check`: exit with status 1 if a figure exceeds its bound.
/// - `--command path`: the measured command, if it is not the one of `Packaging/build.sh`.
/// - `--engine moonshine`: the engine of the server and of `transcribe`.
/// - `--rounds 3`: how often costs and throughput are measured, alternately with `transcribe`.
/// - `--megabytes 500`: the size of the upload whose memory is measured.
/// - `--only text`: only the groups whose names contain the text.
///
/// The clients are curl and `Tests/Support/HTTP/live.py`. Other work on the machine makes the
/// figures worse.
@main
struct ServerBenchmarks {
  static func main() throws {
    let bench = try ServerBench()
    let groups: [(name: String, measure: (ServerBench) throws -> [Finding])] = [
      ("file costs", FileCosts.overhead),
      ("file throughput", FileCosts.throughput),
      ("file upload", FileCosts.upload),
      ("live answers", LiveCosts.answers),
      ("live idle", LiveCosts.idle),
    ]
    var isMissed = false
    print(Finding.heading)
    for group in groups where group.name.contains(Options.value("--only") ?? group.name) {
      for finding in try group.measure(bench) {
        print(finding.text)
        fflush(nil)
        isMissed = isMissed || finding.isMissed
      }
    }
    bench.remove()
    if isMissed, CommandLine.arguments.contains("--check") { exit(1) }
  }
}

/// The sounds and a working folder.
struct ServerBench {
  let folder: URL

  /// The measured command.
  static let command = Options.value("--command") ?? Program.syrinx
  static let engine = Options.value("--engine") ?? "moonshine"
  /// The project's folder.
  static let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "server-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() {
    try? FileManager.default.removeItem(at: folder)
  }

  func file(_ name: String) -> String { folder.appending(path: name).path }

  static func sample(_ name: String) -> String {
    root.appending(path: "Samples/sounds/\(name)").path
  }

  /// Returns a file in which the samples are repeated.
  ///
  /// - Parameters:
  ///   - seconds: the length of the file.
  ///   - name: the name of the file in the folder.
  ///   - options: options of SoX for the file.
  func speech(seconds: Int, _ name: String, _ options: String...) throws -> String {
    let samples = ["go-forward.wav", "window.wav", "two-utterances.wav"].map(Self.sample)
    try Program.run(
      ["sox"] + samples + options + [file(name)]
        + ["repeat", "\(seconds / 8)", "trim", "0", "\(seconds)"])
    return file(name)
  }
}

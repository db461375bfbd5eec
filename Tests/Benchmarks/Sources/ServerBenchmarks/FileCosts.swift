import BenchmarkTools
import Foundation

/// Measures uploads, compared with `syrinx transcribe` on the same files.
enum FileCosts {
  private static let rounds = max(1, Options.number("--rounds", or: 3))

  /// The CPU time for a file of two minutes.
  ///
  /// The time to start, which `transcribe` needs for a file without speech, does not count: the
  /// server has started once.
  static func overhead(_ bench: ServerBench) throws -> [Finding] {
    let file = try bench.speech(seconds: 120, "two-minutes.wav")
    let silence = bench.file("silence.wav")
    try Program.run(["sox", "-n", "-r", "16000", "-b", "16", silence, "trim", "0", "0.1"])
    let server = try RunningServer(in: bench)
    var (start, direct, served) = ([Double](), [Double](), [Double]())
    for _ in 0..<rounds {
      start.append(try Program.run(transcribe([silence], jobs: 1), isSilent: true).seconds)
      direct.append(try Program.run(transcribe([file], jobs: 1), isSilent: true).seconds)
      let before = try server.program.processorSeconds()
      try Program.run(server.request(file), isSilent: true)
      served.append(try server.program.processorSeconds() - before)
    }
    try server.stop()
    let own = least(direct) - least(start)
    return [
      Finding(name: "120 s by transcribe, without its start", value: own, unit: "s CPU"),
      Finding(
        name: "120 s by the server, against transcribe", value: least(served), unit: "s CPU",
        bound: 1.03 * own,
        remark: String(format: "%+.1f %%", 100 * (least(served) / own - 1))),
    ]
  }

  /// The wall time for eight files.
  static func throughput(_ bench: ServerBench) throws -> [Finding] {
    let files = try (0..<8).map { try bench.speech(seconds: 30, "part-\($0).wav") }
    let server = try RunningServer(in: bench, "--connections", "8")
    var (direct, served) = ([Double](), [Double]())
    for _ in 0..<rounds {
      direct.append(try seconds { try Program.run(transcribe(files, jobs: 2), isSilent: true) })
      served.append(
        try seconds {
          let clients = try files.map { try Program(server.request($0), isSilent: true) }
          guard try clients.allSatisfy({ try $0.cost().status == 0 }) else {
            throw Program.Failure(description: "a client has no transcript")
          }
        })
    }
    try server.stop()
    return [
      Finding(name: "8 files of 30 s by transcribe --jobs 2", value: least(direct), unit: "s"),
      Finding(
        name: "8 clients with 8 files, against transcribe --jobs 2", value: least(served),
        unit: "s", bound: least(direct) / 0.95,
        remark: String(format: "%.2f of its throughput", least(direct) / least(served))),
    ]
  }

  /// The peak memory with a large upload, more than with a small one that has the same words.
  ///
  /// The rest of the large file is silence, because the recognizer's own memory depends on the
  /// words.
  static func upload(_ bench: ServerBench) throws -> [Finding] {
    let megabytes = max(1, Options.number("--megabytes", or: 500))
    let (small, large) = (ServerBench.sample("go-forward.wav"), bench.file("large.wav"))
    // A second of eight channels at 192 kHz has 6.144 MB.
    try Program.run([
      "sox", small, "-r", "192000", "-c", "8", "-b", "32", "-e", "floating-point", large, "pad",
      "0", "\(max(0, megabytes * 1_000 / 6_144 - 3))",
    ])
    let server = try RunningServer(in: bench)
    let idle = try server.program.bytes(of: .resident)
    let peaks = try [small, large].map { file in
      try server.program.forgetPeak()
      try Program.run(server.request(file), isSilent: true)
      return try server.program.bytes(of: .peak)
    }
    try server.stop()
    return [
      Finding(
        name: "upload of \(megabytes) MB: memory, more than for 92 kB",
        value: Double(peaks[1] - peaks[0]) / 1e6, unit: "MB", bound: 40,
        remark: String(
          format: "%.1f MB over idle, with the recognition", Double(peaks[1] - idle) / 1e6))
    ]
  }

  private static func transcribe(_ files: [String], jobs: Int) -> [String] {
    [ServerBench.command, "transcribe", "--engine", ServerBench.engine, "--jobs", "\(jobs)"] + files
  }

  private static func least(_ values: [Double]) -> Double { values.min() ?? .infinity }

  private static func seconds(_ body: () throws -> Void) rethrows -> Double {
    try ContinuousClock().measure(body) / .seconds(1)
  }
}

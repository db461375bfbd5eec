import BenchmarkTools
import Foundation

/// Measures the live interface with `Tests/Support/HTTP/live.py`, whose audio has the speed of a
/// microphone.
enum LiveCosts {
  private struct Answers: Decodable {
    /// The seconds from each last sample of speech to its transcript.
    let completed: [Double]
    /// The seconds from the end of each word to the delta that has it.
    let words: [Double]
  }

  static func answers(_ bench: ServerBench) throws -> [Finding] {
    let server = try RunningServer(in: bench)
    let samples = ["go-forward.wav", "window.wav"].map(ServerBench.sample)
    let output = try Program.output(server.client("live.py", "5", samples[0], samples[1]))
    try server.stop()
    let answers = try JSONDecoder().decode(Answers.self, from: Data(output.utf8))
    return [
      Finding(
        name: "realtime: last sample → completed, with 0.5 s of silence",
        value: answers.completed.mean, unit: "s", bound: 0.65,
        remark: "mean of \(answers.completed.count), the worst \(answers.completed.max() ?? .nan) s"
      ),
      Finding(
        name: "realtime: end of a word → in a delta", value: answers.words.mean, unit: "s",
        bound: 0.9,
        remark: "mean of \(answers.words.count), the worst \(answers.words.max() ?? .nan) s"),
    ]
  }

  /// What 200 WebSockets cost while nobody speaks.
  static func idle(_ bench: ServerBench) throws -> [Finding] {
    let server = try RunningServer(in: bench, "--idle-timeout", "600")
    let before = try server.program.bytes(of: .resident)
    let clients = try Program(server.client("live.py", "200", bench.file("open")), isSilent: true)
    let deadline = ContinuousClock.now + .seconds(60)
    while !FileManager.default.fileExists(atPath: bench.file("open")) {
      guard ContinuousClock.now < deadline else {
        clients.interrupt()
        try server.stop()
        throw Program.Failure(description: "200 WebSockets are not open after a minute")
      }
      usleep(50_000)
    }
    let after = try server.program.bytes(of: .resident)
    let processor = try server.program.processorSeconds()
    sleep(10)
    let used = try server.program.processorSeconds() - processor
    clients.interrupt()
    _ = try clients.cost()
    try server.stop()
    return [
      Finding(
        name: "200 idle WebSockets: memory", value: Double(after - before) / 1e6, unit: "MB",
        bound: 20),
      // The clock of the system counts hundredths of a second.
      Finding(
        name: "200 idle WebSockets: CPU time in 10 s", value: used, unit: "s", bound: 0.01),
    ]
  }
}

extension [Double] {
  fileprivate var mean: Double { isEmpty ? .nan : reduce(0, +) / Double(count) }
}

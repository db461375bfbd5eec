import AudioCore
import BenchmarkTools
import Glibc

/// Measures what playing and recording cost and how soon the engines respond, compared with aplay,
/// arecord, and SoX in the same run.
///
/// ```sh
/// Tests/bench.sh EngineBenchmarks
/// ```
///
/// Options:
/// - `--check`: exit with status 1 if a figure exceeds its bound.
/// - `--seconds 60`: how long the commands play and record, in real time; their costs are given for
///   60 s.
/// - `--rounds 500`: how many responses are measured; their 99th percentile counts.
/// - `--starts 10000`: how many playbacks, captures, and recordings are begun and canceled.
/// - `--only text`: only the groups whose names contain the text.
///
/// The card is the paced plug-in of `Tests/Support/ALSA`, or, where stated, the virtual one. No
/// test depends on these figures, because no test may depend on how busy the machine is.
@main
struct EngineBenchmarks {
  static func main() async throws {
    if let work = Options.value("--worker") { return try await Worker.run(work) }
    let bench = try Workbench()
    defer { bench.remove() }
    var isMissed = false
    print(Finding.heading)
    for group in Group.all where group.name.contains(Options.value("--only") ?? group.name) {
      for finding in try await group.measure(bench) {
        print(finding.text)
        fflush(nil)
        isMissed = isMissed || finding.isMissed
      }
    }
    if isMissed, CommandLine.arguments.contains("--check") {
      bench.remove()
      exit(1)
    }
  }
}

/// A group of measurements that belong together.
struct Group {
  var name: String
  var measure: @Sendable (Workbench) async throws -> [Finding]

  static let all = [
    Group(name: "costs", measure: CommandCosts.measure),
    Group(name: "answers", measure: Answers.measure),
    Group(name: "voices", measure: VoiceCosts.measure),
    Group(name: "memory", measure: MemoryUse.measure),
    Group(name: "leftovers", measure: Leftovers.measure),
  ]
}

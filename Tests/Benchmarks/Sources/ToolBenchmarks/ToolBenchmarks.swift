import BenchmarkTools
import Foundation

/// Measures the commands that examine and change files, compared with the tools that they replace.
///
/// ```sh
/// Tests/bench.sh ToolBenchmarks --check
/// ```
///
/// With `--check` it exits with status 1 if a figure exceeds its bound.
@main
struct ToolBenchmarks {
  static func main() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tools-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var findings: [Finding] = []
    findings += try StartCosts.measure(in: folder)
    findings += try ConversionCosts.measure(in: folder)
    findings += try LoudnessCosts.measure(in: folder)
    print(Finding.heading)
    for finding in findings { print(finding.text) }
    if findings.contains(where: \.isMissed), CommandLine.arguments.contains("--check") { exit(1) }
  }
}

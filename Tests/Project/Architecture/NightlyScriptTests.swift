import Foundation
import TestTools
import Testing

/// Runs `Tests/nightly.sh` in a folder with fake scripts, which only print that they run.
@Suite struct NightlyScriptTests {
  private struct Run {
    let status: Int32
    let lines: [String]
  }

  /// Scripts that end at once; `container` fails, and the fake `timeout` reports a timeout of
  /// `cluster`.
  private static let fakes = """
    mkdir -p "$0/Tests/Support" "$0/Packaging" "$0/bin"
    cp Tests/nightly.sh "$0/Tests"
    cd "$0"
    echo 'echo the-command' >Packaging/build.sh
    echo 'echo "bench $*"' >Tests/bench.sh
    for part in deb cluster container; do echo "echo $part \\"\\$*\\"" >Tests/Support/$part.sh; done
    echo 'exit 3' >>Tests/Support/container.sh
    printf '%s\\n' '#!/bin/bash' 'shift; [ "$1" = 45m ] || exit 125; shift' \\
      'case "$*" in *cluster) exit 124 ;; esac' 'exec "$@"' >bin/timeout
    chmod +x bin/timeout
    PATH=$PWD/bin:$PATH
    bash Tests/nightly.sh "$@" 2>&1
    """

  private func nightly(_ parts: String...) throws -> Run {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["bash", "-ec", Self.fakes, folder.path] + parts
    process.currentDirectoryURL = Checkout.root
    process.standardOutput = output
    try process.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return Run(
      status: process.terminationStatus,
      lines: text.split(separator: "\n").map { String($0) })
  }

  @Test func `only the named nightly parts run, and the time of each is printed`() throws {
    let run = try nightly("deb", "SpeechBenchmarks")
    #expect(run.status == 0)
    #expect(
      run.lines.map { $0.replacing(/\d+ min \d+ s/, with: "N min N s") } == [
        "== deb", "deb the-command", "== deb: passed after N min N s", "== SpeechBenchmarks",
        "bench SpeechBenchmarks --check", "== SpeechBenchmarks: passed after N min N s",
        "everything passed",
      ])
  }

  @Test func `if a nightly part fails or exceeds 45 minutes, the run fails after all parts`()
    throws
  {
    let run = try nightly("cluster", "container", "deb")
    #expect(run.status == 1)
    let outcomes = run.lines.filter { $0.contains(" after ") }
      .map { $0.split(separator: " after ")[0] }
    #expect(
      outcomes == [
        "== cluster: ended by the time limit", "== container: failed with status 3",
        "== deb: passed",
      ])
    #expect(run.lines.last == "failed: cluster container")
  }

  @Test(arguments: ["parrot", "", "container cluster", "d.b"])
  func `the error for an unknown nightly part lists the parts, and nothing runs`(
    name: String
  ) throws {
    let run = try nightly("deb", name)
    #expect(run.status == 64)
    #expect(run.lines.count == 1)
    #expect(run.lines[0].hasPrefix("nightly.sh: there is no part \"\(name)\"; the parts are: "))
    #expect(run.lines[0].contains(" container cluster balancer deb "))
  }
}

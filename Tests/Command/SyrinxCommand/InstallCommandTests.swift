import Foundation
import TestTools
import Testing

@testable import SyrinxCommand

/// Tests the install commands with a fake `python3`, so nothing is downloaded.
@Suite(.timeLimit(.minutes(5)))
struct InstallCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  private func shell(
    _ script: String, environment: [String: String] = [:]
  ) async throws -> BuiltCommand.Outcome {
    try await BuiltCommand.shell(script, in: folder, environment: environment)
  }

  /// Returns an environment in which `python3` is a shell script.
  private func python(_ line: String) throws -> [String: String] {
    try writeProgram("#!/bin/sh\n\(line)", to: folder.file("python3"))
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return ["PATH": "\(folder.url.path):\(path)"]
  }

  /// A shell script that creates an installed component.
  private static let installed = """
    mkdir -p data/syrinx/silero && echo network >data/syrinx/silero/silero_vad.onnx
    sum=$(sha256sum <data/syrinx/silero/silero_vad.onnx | cut -d ' ' -f 1)
    echo '{"component":"silero","version":"6.2.3","files":[{"name":"silero_vad.onnx","bytes":8,
      "sha256":"'$sum'"}]}' >data/syrinx/silero/manifest.json
    export XDG_DATA_HOME=$PWD/data

    """

  @Test(arguments: [
    "install", "install parrot", "install silero --from ''", "install silero --to ''", "remove",
    "remove parrot", "install silero all", "install --verify",
  ])
  func `an invalid choice, file, or folder of 'engines install' and 'remove' is a usage error`(
    arguments: String
  ) async throws {
    let run = try await shell("syrinx engines \(arguments)")
    #expect(run.status == 64 && run.output.isEmpty, "\(run.error)")
    #expect(try folder.names.count == 2)
  }

  @Test
  func `a failed installation has status 1, prints the reason, and leaves no files`() async throws {
    let run = try await shell(
      "syrinx engines install moonshine --to here",
      environment: try python("echo 'ERROR: No matching distribution' >&2; exit 1"))
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(run.errorLines.count == 1)
    #expect(run.error.hasPrefix("syrinx: cannot download "))
    #expect(run.error.contains("No matching distribution") && run.error.contains("--from"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("here").path).isEmpty)
  }

  @Test(arguments: [("INT", 130), ("TERM", 143)])
  func `a signal during an installation also ends Python and leaves no files`(
    signal: String, status: Int
  ) async throws {
    let run = try await shell(
      """
      mkfifo fifo
      env --default-signal syrinx engines install silero --to here &
      read -t 60 python <>fifo; kill -\(signal) $!; wait $!
      echo $?; ls -A here; kill -0 $python
      """, environment: try python("echo $$ >'\(folder.file("fifo").path)'; exec sleep 1000"))
    #expect(run.output == "\(status)\n")
    #expect(run.error.contains("No such process"))
  }

  @Test
  func `a full disk ends an installation with an error and leaves no files`() async throws {
    // The wheel that pip downloads is larger than the limit.
    let run = try await shell(
      "ulimit -f 1; syrinx engines install silero --to here",
      environment: try python(
        "trap '' XFSZ; for i in 1 2 3; do head -c 2000 /dev/zero; done >big || exit 1"))
    #expect(run.status == 1)
    #expect(run.error.contains("cannot download "), "\(run.error)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("here").path).isEmpty)
  }

  @Test
  func `--verify reports intact components, and a changed file with the remedy`()
    async throws
  {
    let run = try await shell(
      Self.installed + "syrinx engines --verify && syrinx engines | tail -n 1")
    #expect(run.status == 0, "\(run.error)")
    let path = folder.file("data/syrinx/silero").path
    #expect(run.outputLines.first == "\(path) is intact")
    let line = run.outputLines.last ?? ""
    #expect(line.contains("not ready: ") && line.contains("has no usable library"), "\(line)")
    let changed = try await shell(
      Self.installed + "echo Network >data/syrinx/silero/silero_vad.onnx; syrinx engines --verify")
    #expect(changed.status == 1 && changed.output.isEmpty)
    #expect(changed.error.contains("\(path)/silero_vad.onnx is damaged: its SHA-256"))
    #expect(changed.error.contains("`syrinx engines install`"))
    let truncated = try await shell(
      Self.installed + "echo >data/syrinx/silero/silero_vad.onnx; syrinx engines | tail -n 1")
    #expect(truncated.output.contains("silero_vad.onnx: it has 1 bytes instead of 8"))
    let none = try await shell("syrinx engines --verify --to data")
    #expect(none.status == 1)
    #expect(none.error.contains("nothing is installed in data"))
  }

  @Test
  func `'engines remove' removes an installed component, and fails for any other`() async throws {
    let run = try await shell(Self.installed + "syrinx engines remove silero; ls -A data/syrinx")
    #expect(run.output == "removed \(folder.file("data/syrinx/silero").path)\n")
    #expect(run.error.isEmpty)
    for place in ["data/syrinx", "nowhere"] {
      let again = try await shell("syrinx engines remove silero --to \(place)")
      #expect(again.status == 1)
      #expect(again.error == "syrinx: silero is not installed in \(place)\n")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("nowhere").path))
  }

  @Test(arguments: ["install", "remove"])
  func `the help of 'install' and 'remove' names the components and the folder`(command: String)
    async throws
  {
    let run = try await shell("syrinx engines \(command) --help")
    #expect(run.status == 0)
    for text in ["moonshine, silero, whisper, or", "XDG_DATA_HOME", "--verbose"] {
      #expect(run.output.contains(text))
    }
  }
}

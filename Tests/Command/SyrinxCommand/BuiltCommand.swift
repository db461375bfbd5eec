import Foundation
import TestTools
import Testing

/// Runs the built command, which is next to the test bundle.
enum BuiltCommand {
  /// The output and exit status of a run.
  struct Outcome {
    let status: Int32
    let output: String
    let error: String

    var outputLines: [String] { output.split(separator: "\n").map(String.init) }
    var errorLines: [String] { error.split(separator: "\n").map(String.init) }
  }

  static var url: URL {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "syrinx")
  }

  /// An environment in which ALSA finds no device, regardless of the machine's devices.
  static let withoutSoundCard = [
    "ALSA_CONFIG_PATH": "/dev/null", "PULSE_SERVER": "unix:/nowhere",
    "XDG_RUNTIME_DIR": "/nowhere",
  ]

  /// Runs the command in a folder until it ends; standard input is empty.
  static func run(
    _ arguments: String..., in folder: TestFolder, environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await run(url, arguments, in: folder, environment: environment)
  }

  /// Runs a shell script in which `syrinx` is the command.
  static func shell(
    _ script: String, in folder: TestFolder, environment: [String: String] = [:]
  ) async throws -> Outcome {
    let path = url.deletingLastPathComponent().path
    let line = "set -o pipefail; PATH='\(path)':$PATH; \(script)"
    return try await run(
      URL(filePath: "/bin/bash"), ["-c", line], in: folder, environment: environment)
  }

  private static func run(
    _ program: URL, _ arguments: [String], in folder: TestFolder, environment: [String: String]
  ) async throws -> Outcome {
    let (output, error) = (try folder.output(), try folder.output())
    let process = process(program, arguments, in: folder, environment: environment)
    process.standardOutput = output.handle
    process.standardError = error.handle
    let status = try await statusAfterRunning(process)
    return Outcome(status: status, output: try output.text(), error: try error.text())
  }

  static func process(
    _ program: URL, _ arguments: [String], in folder: TestFolder,
    environment: [String: String] = [:]
  ) -> Process {
    let process = Process()
    // `env` unblocks the signals. Threads of Swift's pool block them, and a child inherits the mask.
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["--default-signal", program.path] + arguments
    process.currentDirectoryURL = folder.url
    // Hides the engines that are installed on this machine.
    let bare = ["XDG_DATA_HOME": "/nowhere", "XDG_DATA_DIRS": "/nowhere"]
    process.environment = ProcessInfo.processInfo.environment
      .merging(bare) { $1 }.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    return process
  }

  /// Runs a process to its end and returns the exit status as a shell reports it.
  private static func statusAfterRunning(_ process: Process) async throws -> Int32 {
    try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.shellStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
  }
}

extension Process {
  var shellStatus: Int32 {
    terminationReason == .uncaughtSignal ? 128 + terminationStatus : terminationStatus
  }
}

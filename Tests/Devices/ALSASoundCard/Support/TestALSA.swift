import AudioCore
import Foundation
import TestTools
import Testing

/// ALSA with the configuration and the plug-in of `Tests/Support/ALSA`, set up once for the whole
/// test process, because ALSA reads its configuration once.
struct TestALSA: Sendable {
  let directory: URL

  static let shared = Result { try TestALSA() }

  /// Returns the shared setup, created on first use; a missing tool fails the requesting test.
  static func ready() throws -> TestALSA { try shared.get() }

  private init() throws {
    directory = FileManager.default.temporaryDirectory
      .appending(path: "syrinx-alsa-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let plugin = directory.appending(path: "libasound_module_pcm_syrinxtest.so")
    try run(
      "cc",
      [
        "-shared", "-fPIC", "-DPIC", "-O1", "-o", plugin.path(),
        Self.support("ALSA/pcm_syrinxtest.c").path(), "-lasound",
      ], package: "gcc libasound2-dev")
    let template = try String(contentsOf: Self.support("ALSA/syrinxtest.conf"), encoding: .utf8)
    let configuration = directory.appending(path: "asound.conf")
    try template
      .replacing("@PLUGIN@", with: plugin.path())
      .replacing("@PULSE@", with: "unix:\(pulseDirectory.path())/native")
      .write(to: configuration, atomically: true, encoding: .utf8)
    setenv("ALSA_CONFIG_PATH", "/usr/share/alsa/alsa.conf:\(configuration.path())", 1)
    atexit { try? TestALSA.shared.get().dismantle() }
  }

  private func dismantle() {
    try? stopPulse()
    try? FileManager.default.removeItem(at: directory)
  }

  /// Returns the URL of a new file for the test.
  func file() -> URL {
    directory.appending(path: "\(UUID().uuidString).raw")
  }

  // MARK: PulseAudio

  var pulseDirectory: URL { directory.appending(path: "pulse") }
  private static var pulseScript: URL { support("pulse.sh") }

  /// Starts the server of `pulse.sh` unless it runs.
  func startPulse() throws {
    try run(
      "bash", [Self.pulseScript.path(), "start", pulseDirectory.path()],
      package: "pulseaudio libasound2-plugins")
  }

  /// Ends the server; to its clients, this looks like a crash.
  func stopPulse() throws { try tellPulse("stop") }

  /// Kills the server.
  func killPulse() throws { try tellPulse("kill") }

  /// Suspends the server: it hangs until it is resumed.
  func pausePulse() throws { try tellPulse("pause") }

  func continuePulse() throws { try tellPulse("continue") }

  /// Suspends or resumes the sink `syrinx` and its monitor.
  func suspendSink(_ isSuspended: Bool) throws {
    try tellPulse(isSuspended ? "suspend" : "resume")
  }

  /// Moves all streams to a sink, or to its monitor.
  func moveStreams(to sink: String) throws { try tellPulse("move", sink) }

  private func tellPulse(_ action: String, _ arguments: String...) throws {
    try run(
      "bash", [Self.pulseScript.path(), action, pulseDirectory.path()] + arguments,
      package: "pulseaudio")
  }

  private static func support(_ path: String) -> URL {
    Checkout.file("Tests/Support/\(path)")
  }
}

/// A tool that a test needs is missing or failed.
struct ToolError: Error, CustomStringConvertible {
  let description: String
}

/// Runs a program to its end; on failure, throws with the package to install.
func run(_ tool: String, _ arguments: [String], package: String) throws {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = [tool] + arguments
  process.standardOutput = FileHandle.nullDevice
  try process.run()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw ToolError(
      description: "`\(tool)` failed with status \(process.terminationStatus); "
        + "it needs: apt-get install \(package)")
  }
}

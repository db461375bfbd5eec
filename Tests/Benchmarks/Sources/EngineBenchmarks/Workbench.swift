import AudioCore
import BenchmarkTools
import Foundation

/// A folder with a sound to play and with ALSA's test card, the plug-in of `Tests/Support/ALSA`.
struct Workbench: Sendable {
  static let device = AudioDevice.ID("syrinxtest")

  let folder: URL

  private static let support = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Support")

  static let pulseScript = support.appending(path: "pulse.sh").path

  /// Builds the card and makes ALSA use it, in this process and its children.
  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "syrinx-benchmarks-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let plugin = file("libasound_module_pcm_syrinxtest.so")
    let source = Self.support.appending(path: "ALSA/pcm_syrinxtest.c").path
    try Program.run(["cc", "-shared", "-fPIC", "-DPIC", "-O1", "-o", plugin, source, "-lasound"])
    let template = try String(
      contentsOf: Self.support.appending(path: "ALSA/syrinxtest.conf"), encoding: .utf8)
    try template.replacingOccurrences(of: "@PLUGIN@", with: plugin)
      .replacingOccurrences(of: "@PULSE@", with: "unix:/nowhere")
      .write(toFile: file("alsa.conf"), atomically: true, encoding: .utf8)
    setenv("ALSA_CONFIG_PATH", "/usr/share/alsa/alsa.conf:" + file("alsa.conf"), 1)
  }

  func remove() {
    try? FileManager.default.removeItem(at: folder)
  }

  func file(_ name: String) -> String { folder.appending(path: name).path }

  /// Returns a WAV file with `seconds` seconds of a sine: 48 kHz, stereo, 16 bits.
  func sound(seconds: Int) throws -> String {
    let path = file("sine-\(seconds).wav")
    guard !FileManager.default.fileExists(atPath: path) else { return path }
    try Program.run([
      "sox", "-n", "-r", "48000", "-c", "2", "-b", "16", path, "synth", "\(seconds)", "sine", "440",
      "vol", "0.5",
    ])
    return path
  }
}

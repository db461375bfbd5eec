import Foundation
import TestTools

/// ALSA's configuration for one test: devices that are files, and the fake card of
/// `Tests/Support/ALSA`, which is driven by a timer.
struct ALSASetup {
  let environment: [String: String]

  /// Returns the path of a file in `Tests/Support`.
  static func support(_ name: String) -> String {
    Checkout.file("Tests/Support/\(name)").path
  }

  /// Returns the path of a sound in `Samples/sounds`.
  static func sample(_ name: String) -> String {
    Checkout.file("Samples/sounds/\(name)").path
  }

  /// Builds the plug-in and writes ALSA's configuration into the folder.
  init(in folder: TestFolder) async throws {
    let plugin = folder.file("libasound_module_pcm_syrinxtest.so").path
    let source = Self.support("ALSA/pcm_syrinxtest.c")
    let built = try await BuiltCommand.shell(
      "cc -shared -fPIC -DPIC -O1 -o '\(plugin)' '\(source)' -lasound", in: folder)
    guard built.status == 0 else {
      throw ToolMissing(description: "apt-get install gcc libasound2-dev: \(built.error)")
    }
    let template = try String(contentsOfFile: Self.support("ALSA/syrinxtest.conf"), encoding: .utf8)
    let configuration = folder.file("alsa.conf")
    try template.replacing("@PLUGIN@", with: plugin).replacing("@PULSE@", with: "unix:/nowhere")
      .write(to: configuration, atomically: true, encoding: .utf8)
    environment = ["ALSA_CONFIG_PATH": "/usr/share/alsa/alsa.conf:\(configuration.path)"]
  }
}

/// The error if a program that the tests need is not installed.
struct ToolMissing: Error, CustomStringConvertible {
  let description: String
}

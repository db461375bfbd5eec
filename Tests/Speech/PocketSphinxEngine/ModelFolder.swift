import Foundation
import SpeechEngine

@testable import PocketSphinxEngine

/// A copy of the system's model in its own folder, whose files can be changed.
///
/// The folder is removed with the value.
final class ModelFolder {
  static let system = ModelLocation.debianDirectory

  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "model-\(UUID())")
    let acoustic = url.appending(path: "en-us")
    try FileManager.default.createDirectory(at: acoustic, withIntermediateDirectories: true)
    for name in ModelFiles.acousticNames { try link("en-us/\(name)") }
    for name in ["cmudict-en-us.dict", "en-us.lm.bin"] { try link(name) }
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  var engine: SpeechEngine { .pocketSphinx(modelDirectory: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path(name))
  }

  /// Replaces a file with a modified copy.
  func change(_ name: String, _ body: (inout Data) -> Void) throws {
    var data = try Data(contentsOf: URL(filePath: "\(Self.system)/\(name)"))
    body(&data)
    try remove(name)
    try data.write(to: url.appending(path: name))
  }

  private func link(_ name: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: path(name), withDestinationPath: "\(Self.system)/\(name)")
  }
}

import Foundation

/// A folder for one test, removed with everything in it when the test lets go of it.
final class TestFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "syrinx-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  func file(_ name: String) -> URL { url.appending(path: name) }

  /// What is in it, hidden files included, in order.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}

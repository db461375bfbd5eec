import Foundation

@testable import PocketSphinxEngine

extension ModelBytes {
  /// Bytes of a test's own, in a file that has no name any more.
  init(_ bytes: [UInt8]) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "bytes-\(UUID())")
    try Data(bytes).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try self.init(path: url.path)
  }
}

package import Foundation

/// The checkout of the tests: the folder with `Package.swift`, `Samples`, and `Tests`.
package enum Checkout {
  /// The nearest folder above this file that contains `Tests/run.sh`.
  ///
  /// A package of test fixtures may contain this file as a symbolic link.
  package static let root: URL = {
    var folder = URL(filePath: #filePath).deletingLastPathComponent()
    while !FileManager.default.fileExists(atPath: folder.appending(path: "Tests/run.sh").path),
      folder.path != "/"
    {
      folder.deleteLastPathComponent()
    }
    return folder
  }()

  /// Returns the URL of a file.
  ///
  /// - Parameter path: the path from the checkout's root, such as "Samples/sounds/go-forward.wav".
  package static func file(_ path: String) -> URL { root.appending(path: path) }
}

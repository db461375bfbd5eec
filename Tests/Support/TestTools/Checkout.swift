package import Foundation

/// The checkout that the tests belong to: the folder with `Package.swift`, `Samples`, and `Tests`.
package enum Checkout {
  /// A folder above this file, also where a package of fixtures has it by a symbolic link.
  package static let root: URL = {
    var folder = URL(filePath: #filePath).deletingLastPathComponent()
    while !FileManager.default.fileExists(atPath: folder.appending(path: "Tests/run.sh").path),
      folder.path != "/"
    {
      folder.deleteLastPathComponent()
    }
    return folder
  }()

  /// - Parameter path: from the checkout's root, as "Samples/sounds/go-forward.wav".
  package static func file(_ path: String) -> URL { root.appending(path: path) }
}

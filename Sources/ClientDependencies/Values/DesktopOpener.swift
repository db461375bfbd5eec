#if !PointFreeDependencies
import Foundation

/// Runs `xdg-open`, as a child process and without a shell.
struct DesktopOpener {
  /// The folders to look for the program in, with colons between them.
  var path: String

  /// Opens a URL, and waits until `xdg-open` is done.
  ///
  /// - Returns: whether it says that a program took the URL.
  func open(_ url: URL) async -> Bool {
    // Without a scheme `xdg-open` would take the text for a file, or for one of its options.
    guard url.scheme != nil, let program else { return false }
    return await withCheckedContinuation { continuation in
      let process = Process()
      process.executableURL = program
      process.arguments = [url.absoluteString]
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.terminationHandler = { process in
        continuation.resume(returning: process.isSuccess)
      }
      do { try process.run() } catch { continuation.resume(returning: false) }
    }
  }

  private var program: URL? {
    path.split(separator: ":")
      .map { URL(filePath: String($0)).appending(path: "xdg-open") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}

extension Process {
  fileprivate var isSuccess: Bool { terminationReason == .exit && terminationStatus == 0 }
}
#endif

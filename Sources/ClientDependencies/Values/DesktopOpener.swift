#if !PointFreeDependencies
import Foundation

/// Runs `xdg-open`, as a child process and without a shell.
struct DesktopOpener {
  /// The folders to look for the program in, with colons between them.
  var path: String
  var clock: any Clock<Duration>
  /// How long `xdg-open` may run until that means that it is itself the browser's parent.
  var patience = Duration.seconds(3)

  /// Opens a URL, and waits until `xdg-open` is done, patience is over or the task is cancelled.
  ///
  /// - Returns: whether it says that a program took the URL, or still runs; false for a task that
  ///   was cancelled.
  func open(_ url: URL) async -> Bool {
    // Without a scheme `xdg-open` would take the text for a file, or for one of its options.
    guard url.scheme != nil, let program else { return false }
    let success = run(program, url)
    return await withTaskGroup(of: Bool?.self) { group in
      group.addTask { await success.first { _ in true } }
      group.addTask { (try? await clock.sleep(for: patience)).map { true } }
      defer { group.cancelAll() }
      return (await group.next() ?? nil) ?? false
    }
  }

  /// Starts the program.
  ///
  /// - Returns: a stream of one element, whether the program succeeded. Foundation waits for the
  ///   process also when nobody reads the stream.
  private func run(_ program: URL, _ url: URL) -> AsyncStream<Bool> {
    let (success, continuation) = AsyncStream<Bool>.makeStream()
    let process = Process()
    process.executableURL = program
    process.arguments = [url.absoluteString]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.terminationHandler = { continuation.yield($0.isSuccess) }
    do { try process.run() } catch { continuation.yield(false) }
    return success
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

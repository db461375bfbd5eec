#if !PointFreeDependencies
import FoundationEssentials

/// What the kernel says of the threads of this process.
enum ProcessThreads {
  private static let folder = "/proc/self/task"

  /// Whether every thread but the calling one sleeps; `false` where the kernel does not tell.
  static var othersSleep: Bool {
    guard let threads = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      return false
    }
    var running = 0
    for thread in threads where isRunnable(thread) {
      running += 1
      // Hundreds may follow that sleep: those of the pool are among the first.
      if running > 1 { return false }
    }
    return true
  }

  private static func isRunnable(_ thread: String) -> Bool {
    // A thread that has ended in the meantime does not run.
    guard let line = try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)
    else { return false }
    return isRunnable(stat: line)
  }

  /// Reads the state after the name, which is in parentheses and may contain some itself.
  ///
  /// A thread that waits for a disk goes on by itself, as one that runs does.
  static func isRunnable(stat line: String) -> Bool {
    guard let end = line.lastIndex(of: ")"), let state = line[end...].dropFirst(2).first
    else { return false }
    return state == "R" || state == "D"
  }
}
#endif

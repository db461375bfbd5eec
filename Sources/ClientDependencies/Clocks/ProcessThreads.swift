#if !PointFreeDependencies
import Glibc

/// What the kernel says of the threads of this process.
enum ProcessThreads {
  /// The threads but the calling one that run, or could, each with the time that it has run for.
  ///
  /// A thread that waits for a disk goes on by itself, as one that runs does.
  ///
  /// - Returns: nil where the kernel does not tell.
  static var running: [pid_t: Duration]? {
    guard let own = ownID, let all = threads else { return nil }
    var running: [pid_t: Duration] = [:]
    for thread in all where thread != own && isRunnable(thread) {
      // A thread that has ended in the meantime does not run.
      if let time = timeRun(by: thread) { running[thread] = time }
    }
    return running
  }

  /// Reads the state after the name, which is in parentheses and may contain some itself.
  static func isRunnable(stat line: String) -> Bool {
    guard let end = line.lastIndex(of: ")"), let state = line[end...].dropFirst(2).first
    else { return false }
    return state == "R" || state == "D"
  }

  private static func isRunnable(_ thread: pid_t) -> Bool {
    isRunnable(stat: stat(of: "self/task/\(thread)"))
  }

  /// What the kernel says of a thread; empty where there is none any more.
  private static func stat(of thread: String) -> String {
    let file = open("/proc/\(thread)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    // The name has 16 bytes at most, so that the state is among the first.
    return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      String(decoding: buffer.prefix(max(0, read(file, buffer.baseAddress, 64))), as: UTF8.self)
    }
  }

  private static var threads: [pid_t]? {
    guard let folder = opendir("/proc/self/task") else { return nil }
    defer { closedir(folder) }
    var threads: [pid_t] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let thread = pid_t(name) { threads.append(thread) }
    }
    return threads
  }

  private static var ownID: pid_t? { pid_t(stat(of: "thread-self").prefix { $0 != " " }) }

  /// The time on the thread's own clock, whose number the kernel makes of the thread's like this.
  private static func timeRun(by thread: pid_t) -> Duration? {
    var time = timespec()
    guard clock_gettime(clockid_t(~thread << 3 | 6), &time) == 0 else { return nil }
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
#endif

#if !PointFreeDependencies
import Glibc

/// Determines how long a test clock waits for tasks that may be about to sleep.
///
/// A task that was started or woken runs on a thread, or its thread waits for a CPU; the kernel
/// reports both states as running. Once every such thread sleeps, or has run for longer than a task
/// needs to reach its next sleep, no task can still be about to sleep. This is true even on a busy
/// machine.
struct QuiescenceDetector {
  /// The CPU time after which a thread counts as busy with other work.
  static let share = Duration.milliseconds(1)

  private var calls = 0
  private var quietCalls = 0
  private var beginnings: [pid_t: Duration] = [:]

  /// Whether all threads were quiet when `isOver` last checked them.
  var isQuiet: Bool { quietCalls > 0 }

  /// Returns whether to stop waiting; called about once per millisecond.
  ///
  /// The wait ends after 1,000 calls at the latest, or after 200 if the threads are unknown.
  ///
  /// - Parameters:
  ///   - isReady: whether the expected sleeper has arrived.
  ///   - isWaking: whether a woken task has not yet run. It will run unless its actor is blocked.
  ///   - isMainDone: whether the main actor has finished the work that it had at an earlier call.
  ///   - running: the running threads with their CPU times; nil if unknown.
  mutating func isOver(
    isReady: Bool, isWaking: Bool, isMainDone: Bool, running: @autoclosure () -> [pid_t: Duration]?
  ) -> Bool {
    calls += 1
    if isReady || calls >= 1_000 { return true }
    guard !isWaking else {
      quietCalls = 0
      return false
    }
    guard let running = running() else { return calls >= 200 }
    // One quiet call is not enough, because a task that is ready may not have a thread yet.
    quietCalls = isQuiet(running, isMainDone: isMainDone) ? quietCalls + 1 : 0
    return quietCalls >= 2
  }

  private mutating func isQuiet(_ running: [pid_t: Duration], isMainDone: Bool) -> Bool {
    for (thread, time) in running where beginnings[thread] == nil { beginnings[thread] = time }
    // If no thread is running, the main actor is idle or blocked, so do not wait for it.
    guard isMainDone || running.isEmpty else { return false }
    return running.allSatisfy { thread, time in
      beginnings[thread].map { time - $0 >= Self.share } ?? false
    }
  }
}

/// The kernel's view of the threads of this process.
enum ProcessThreads {
  /// The other threads that run or can run, each with its CPU time.
  ///
  /// A thread that waits for a disk counts as running, because it continues on its own.
  ///
  /// - Returns: nil if the kernel does not report the threads.
  static var running: [pid_t: Duration]? {
    guard let own = ownID, let all = threads else { return nil }
    var running: [pid_t: Duration] = [:]
    for thread in all where thread != own && isRunnable(stat: stat(of: "self/task/\(thread)")) {
      // The thread may have ended in the meantime.
      if let time = timeRun(by: thread) { running[thread] = time }
    }
    return running
  }

  /// Returns whether a thread runs or waits for a disk, according to its line in `/proc`.
  ///
  /// The state follows the name, which is in parentheses and may contain parentheses.
  static func isRunnable(stat line: String) -> Bool {
    guard let end = line.utf8.lastIndex(of: UInt8(ascii: ")")),
      let state = line.utf8[end...].dropFirst(2).first
    else { return false }
    return state == UInt8(ascii: "R") || state == UInt8(ascii: "D")
  }

  /// Returns the kernel's status of a thread; empty after the thread has ended.
  private static func stat(of thread: String) -> String {
    let file = open("/proc/\(thread)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    // The thread's name has at most 16 bytes, so the file's first 64 bytes include the state.
    return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      let count = max(0, read(file, buffer.baseAddress, buffer.count))
      return String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self)
    }
  }

  private static var threads: [pid_t]? {
    guard let folder = opendir("/proc/self/task") else { return nil }
    defer { closedir(folder) }
    var threads: [pid_t] = []
    while let entry = readdir(folder) {
      // The kernel ends each name with a zero byte.
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.map(atoi) ?? 0 }
      }
      if name > 0 { threads.append(name) }
    }
    return threads
  }

  private static var ownID: pid_t? { pid_t(stat(of: "thread-self").prefix { $0 != " " }) }

  /// Returns the time of the thread's CPU clock, whose ID derives from the thread's ID.
  private static func timeRun(by thread: pid_t) -> Duration? {
    var time = timespec()
    guard clock_gettime(clockid_t(~thread << 3 | 6), &time) == 0 else { return nil }
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
#endif

#if !PointFreeDependencies
import Glibc

/// How long a test clock waits for tasks that may be on their way to it.
///
/// A task that was only just started, or woken, runs on some thread of the process, or the kernel is
/// about to let it. Once each thread that was seen to run sleeps, or has run for longer than a task
/// takes to its next sleep, no task can be on its way any more, however busy the machine is.
struct QuiescenceDetector {
  /// What a thread may run for before it is taken to be busy with something else.
  static let share = Duration.milliseconds(1)

  private var turns = 0
  private var quietTurns = 0
  private var beginnings: [pid_t: Duration] = [:]

  /// Whether no task was on its way at the last turn.
  var isQuiet: Bool { quietTurns > 0 }

  /// Decides after a turn of at most about a millisecond whether it was the last one.
  ///
  /// - Parameters:
  ///   - isReady: whether what the clock waits for has come.
  ///   - isWaking: whether a woken task has yet to run, for which the clock waits longer: such a
  ///     task is certain to come, unless something keeps its actor.
  ///   - isMainDone: whether the main actor has done what it had to do at the turn before.
  ///   - running: the threads that run, and the time that each has run for; nil where that is not
  ///     known.
  mutating func isOver(
    isReady: Bool, isWaking: Bool, isMainDone: Bool, running: @autoclosure () -> [pid_t: Duration]?
  ) -> Bool {
    turns += 1
    if isReady || turns >= (isWaking ? 1_000 : 200) { return true }
    let isQuiet = !isWaking && (running().map { self.isQuiet($0, isMainDone: isMainDone) } ?? false)
    // A task may have been on its way to a thread the first time.
    quietTurns = isQuiet ? quietTurns + 1 : 0
    return quietTurns >= 2
  }

  private mutating func isQuiet(_ running: [pid_t: Duration], isMainDone: Bool) -> Bool {
    for (thread, time) in running where beginnings[thread] == nil { beginnings[thread] = time }
    // A main actor that is not run does nothing more.
    guard isMainDone || running.isEmpty else { return false }
    return running.allSatisfy { thread, time in
      beginnings[thread].map { time - $0 >= Self.share } ?? false
    }
  }
}

/// The kernel's view of the threads of this process.
enum ProcessThreads {
  /// The threads but the calling one that run, or could, each with the time that it has run for.
  ///
  /// A thread that waits for a disk goes on by itself, as one that runs does.
  ///
  /// - Returns: nil if the kernel does not report it.
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

  /// The kernel's status of a thread; empty after it has ended.
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

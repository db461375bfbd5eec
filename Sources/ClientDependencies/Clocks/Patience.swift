#if !PointFreeDependencies
import Glibc

/// How long a test clock waits for tasks that may be on their way to it.
///
/// A task that was only just started, or woken, runs on some thread of the process, or the kernel is
/// about to let it. Once each thread that was seen to run sleeps, or has run for longer than a task
/// takes to its next sleep, no task can be on its way any more, however busy the machine is.
struct Patience {
  /// What a thread may run for before it is taken to be busy with something else.
  static let share = Duration.milliseconds(1)

  private var turns = 0
  private var quietTurns = 0
  private var beginnings: [pid_t: Duration] = [:]

  /// Whether nobody was on the way at the last turn.
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
    // A main actor that nobody runs does nothing more.
    guard isMainDone || running.isEmpty else { return false }
    return running.allSatisfy { thread, time in
      beginnings[thread].map { time - $0 >= Self.share } ?? false
    }
  }
}
#endif

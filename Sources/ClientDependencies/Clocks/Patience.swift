#if !PointFreeDependencies
/// How long a test clock waits for the tasks that it woke.
struct Patience {
  private var turns = 0
  private var quietTurns = 0

  /// Decides after a turn of about a millisecond whether it was the last one.
  ///
  /// - Parameters:
  ///   - isReady: whether what the clock waits for has come.
  ///   - isWaking: whether a woken task has yet to run, for which the clock waits longer: such a
  ///     task is certain to come, unless something keeps its actor.
  ///   - othersSleep: whether nobody else runs. It counts if it holds twice, because a task may
  ///     have been on its way to a thread.
  mutating func isOver(isReady: Bool, isWaking: Bool, othersSleep: Bool) -> Bool {
    turns += 1
    quietTurns = othersSleep ? quietTurns + 1 : 0
    return isReady || quietTurns >= 2 || turns >= (isWaking ? 1_000 : 200)
  }
}
#endif

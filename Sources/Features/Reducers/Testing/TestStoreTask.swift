import ClientDependencies

/// The effects of an action sent by a test.
public struct TestStoreTask: Sendable {
  let group: EffectGroup
  let timeout: Duration
  let clock: any Clock<Duration>

  /// Cancels the effects and waits for their end.
  @MainActor
  public func cancel() async {
    group.cancel()
    await group.waitUntilEmpty()
  }

  /// Whether the effects were canceled.
  @MainActor
  public var isCancelled: Bool { group.isCancelled }

  /// Waits for the end of the effects; exceeding the limit is reported as an issue.
  @MainActor
  public func finish(
    timeout: Duration? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let limit = timeout ?? self.timeout
    if !(await finishes(within: limit, clock) { await self.group.waitUntilEmpty() }) {
      reportIssue(
        "the effects of the action were still running after \(limit). \(unfinishedAdvice)",
        fileID: fileID, filePath: filePath, line: line, column: column)
    }
  }
}

/// What to do about an effect that does not end.
let unfinishedAdvice = """
  Advance the test's clock, replace it with an immediate clock, cancel the effect, or wait longer \
  with 'timeout:'.
  """

/// Returns whether an operation ends within a time limit; if it does not, it keeps running.
@MainActor
func finishes(
  within limit: Duration, _ clock: any Clock<Duration>,
  _ operation: @escaping @MainActor @Sendable () async -> Void
) async -> Bool {
  let arrivals = Arrivals()
  Task {
    await operation()
    arrivals.note()
  }
  let end = arrivals.end(after: limit, clock)
  defer { end.cancel() }
  return await arrivals.next(before: end)
}

/// Counts events, and wakes each waiting task at the next event or at its time limit.
@MainActor
final class Arrivals {
  /// A time limit that all waits of one task share.
  @MainActor
  final class End {
    fileprivate var isOver = false
    fileprivate var task: Task<Void, any Error>?

    func cancel() { task?.cancel() }
  }

  private var count = 0
  private var waiters: [(end: End, continuation: CheckedContinuation<Bool, Never>)] = []

  var isPending: Bool { count > 0 }

  func note() {
    if waiters.isEmpty {
      count += 1
    } else {
      waiters.removeFirst().continuation.resume(returning: true)
    }
  }

  /// Starts a time limit for a task's waits; `cancel` on the result removes the limit.
  func end(after limit: Duration, _ clock: any Clock<Duration>) -> End {
    let end = End()
    end.task = Task { @MainActor in
      try await clock.sleep(for: limit)
      // The task may have been canceled just after the sleep ended, so check again.
      try Task.checkCancellation()
      end.isOver = true
      let index = waiters.firstIndex { $0.end === end }
      if let index { waiters.remove(at: index).continuation.resume(returning: false) }
    }
    return end
  }

  /// Waits for an event; returns false if there is none before the limit.
  func next(before end: End) async -> Bool {
    if count > 0 {
      count -= 1
      return true
    }
    if end.isOver { return false }
    return await withCheckedContinuation { waiters.append((end, $0)) }
  }
}

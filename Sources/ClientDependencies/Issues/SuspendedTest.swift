#if !PointFreeDependencies
/// A task that was started in a test, waits there, and reports issues with the test's task-locals
/// on whichever thread brings them.
///
/// What decides to which test an issue belongs, and whether it is a known one, are task-locals of
/// the test framework; only a task that inherited them can show them to the framework elsewhere.
final class SuspendedTest: Sendable {
  typealias Report = @Sendable () -> Void

  let test: RunningTest
  private let slot = ReportSlot()
  // One report at a time: the task takes the next one only when it waits again. Held while a report
  // runs, which reads nothing but task-locals of the waiting task. It counts them, because Thread
  // Sanitizer takes a state of no size for the field beside it.
  private let turn = Lock(0)

  /// Starts a task that inherits the task-locals of the caller, which runs in `test`.
  ///
  /// It has come to its first wait when the initialiser returns. It does not keep the overrides of
  /// the caller's scope alive, which may hold objects that the test wants to see released.
  init(in test: RunningTest) {
    self.test = test
    DependencyValues.$_current.withValue(.ofProcess) {
      _ = Task(executorPreference: InlineExecutor.shared) { [slot] in
        while let report = await slot.next() { report() }
      }
    }
  }

  deinit {
    RunningTests.shared.remove(ObjectIdentifier(self), of: test)
    slot.fill(with: nil)
  }

  /// Runs a report with the task-locals of the test, and returns when that is done.
  func perform(_ report: @escaping Report) {
    turn.withLock { count in
      count += 1
      slot.fill(with: report)
    }
  }
}

/// The place where a suspended task waits for its next report.
private final class ReportSlot: Sendable {
  // Held to put a continuation there or to take it away; it is resumed after the lock is released.
  private let waiting = Lock<CheckedContinuation<SuspendedTest.Report?, Never>?>(nil)

  /// - Returns: nil when no further report will come.
  func next() async -> SuspendedTest.Report? {
    await withCheckedContinuation { continuation in
      waiting.withLock { $0 = continuation }
    }
  }

  func fill(with report: SuspendedTest.Report?) {
    let continuation = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    continuation?.resume(returning: report)
  }
}
#endif

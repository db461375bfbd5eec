#if !PointFreeDependencies
import Synchronization

/// The tests that may be running: those with an `IssueOrigin` that is still retained.
///
/// An issue without an origin may belong to any of these tests. Once a test has many origins, its
/// further `@Dependency` wrappers share one of them.
final class RunningTests: Sendable {
  static let shared = RunningTests()
  /// Once a test has this many origins, its further `@Dependency` wrappers share one of them.
  static let manyOrigins = 32

  private struct Entry {
    var id: ObjectIdentifier
    weak var suspended: SuspendedTest?
  }
  // The lock is held for one lookup or change of the dictionary. No reference is released under the
  // lock, because the `deinit` of a test's object might use this dictionary.
  private let entries = Lock<[RunningTest: [Entry]]>([:])
  private let hasSeenOne = Atomic(false)

  func add(_ suspended: SuspendedTest) {
    hasSeenOne.store(true, ordering: .relaxed)
    let entry = Entry(id: ObjectIdentifier(suspended), suspended: suspended)
    entries.withLock { $0[suspended.test, default: []].append(entry) }
  }

  /// Removes a released origin.
  func remove(_ id: ObjectIdentifier, of test: RunningTest) {
    entries.withLock { entries in
      entries[test]?.removeAll { $0.id == id }
      if entries[test]?.isEmpty == true { entries[test] = nil }
    }
  }

  /// Returns the oldest origin of a test that has many origins; nil for a test with few.
  ///
  /// A test that creates thousands of models thus has one waiting task for all their wrappers.
  /// Origins of a test differ only in whether they were captured inside `withKnownIssue`.
  func origin(sharedBy test: RunningTest) -> SuspendedTest? {
    let all = entries.withLock { entries -> [SuspendedTest?] in
      guard let all = entries[test], all.count >= Self.manyOrigins else { return [] }
      return all.map(\.suspended)
    }
    // The references are released outside the lock, because the `deinit` of an origin acquires the
    // lock.
    return all.compactMap(\.self).first
  }

  /// One suspended task for each test that has used dependencies and may still be running.
  ///
  /// A test that has ended is included as long as something retains its suspended task.
  var alive: [SuspendedTest] {
    // The references are released outside the lock, because the `deinit` of an origin acquires the
    // lock.
    let all = entries.withLock { $0.values.map { $0.map(\.suspended) } }
    return all.compactMap { $0.compactMap(\.self).first }
  }

  /// Whether a test of Swift Testing has run in this process.
  var haveBeenSeen: Bool { hasSeenOne.load(ordering: .relaxed) }
}

/// A waiting task that was started in a test.
///
/// It runs reports of issues with the test's task-locals, on the thread that makes the report.
///
/// The test framework uses task-locals to find the test of an issue, and to find out whether the
/// issue is known. Other threads lack these task-locals, so a task that inherited them is needed.
final class SuspendedTest: Sendable {
  typealias Report = @Sendable () -> Void

  let test: RunningTest
  private let slot = ReportSlot()
  // Makes reports run one at a time, because the task accepts the next report only when it waits
  // again. The lock is held while a report runs; a report reads only task-locals of that task.
  // The lock's state is an integer, because Thread Sanitizer confuses a state of size zero with the
  // adjacent field.
  private let turn = Lock(0)

  /// Starts a task that inherits the task-locals of the caller, which runs in `test`.
  ///
  /// The task already waits when the initializer returns. The task does not retain the overrides of
  /// the caller's scope, because the test may check that objects in the overrides are released. Nor
  /// does it retain the scope's origin: origins that are created within each other's scopes would
  /// form a list, whose release is recursive.
  init(in test: RunningTest) {
    self.test = test
    IssueOrigin.withoutScope {
      DependencyValues.$_current.withValue(.ofProcess) {
        _ = Task(executorPreference: InlineExecutor.shared) { [slot] in
          while let report = await slot.next() { report() }
        }
      }
    }
  }

  deinit {
    RunningTests.shared.remove(ObjectIdentifier(self), of: test)
    slot.fill(with: nil)
  }

  /// Runs a report with the test's task-locals, and returns when the report has run.
  func perform(_ report: @escaping Report) {
    turn.withLock { count in
      count += 1
      slot.fill(with: report)
    }
  }
}

/// A slot in which a suspended task waits for its next report.
private final class ReportSlot: Sendable {
  // The lock is held to store or remove a continuation, which is resumed after the release.
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
